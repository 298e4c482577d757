#+ summary: Replaces or removes format records in one transaction
PREFIX dct: <http://purl.org/dc/terms/>
PREFIX format: <urn:vocabulary-service:format#>
DELETE {
  GRAPH <urn:vocabulary-service:formats> { ?f ?property ?object . ?schema ?detail ?value }
} WHERE {
  VALUES ?f { <urn:vocabulary-service:format:marc%2Fxml> } #@ f
  GRAPH <urn:vocabulary-service:formats> {
    { ?f ?property ?object }
    UNION { ?f format:schemas ?schema . ?schema ?detail ?value }
  }
} ;
#? insert
INSERT { GRAPH <urn:vocabulary-service:formats> { ?s ?p ?o } }
WHERE {
  VALUES (?s ?p ?o) { (<urn:vocabulary-service:format:marc%2Fxml> dct:title "MARC 21 XML Schema") } #@ triple
} ;
#.
DELETE { GRAPH <urn:vocabulary-service:formats> { ?formats <urn:x-vocabulary-service:revision> ?old } }
INSERT { GRAPH <urn:vocabulary-service:formats> { ?formats <urn:x-vocabulary-service:revision> ?new } }
WHERE {
  VALUES (?formats ?new) { (<urn:vocabulary-service:formats> "00000000-0000-4000-8000-000000000000") } #@ revision
  OPTIONAL { GRAPH <urn:vocabulary-service:formats> { ?formats <urn:x-vocabulary-service:revision> ?old } }
}
