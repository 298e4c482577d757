#+ summary: Replaces or removes format records in one transaction
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
INSERT DATA {
  GRAPH <urn:vocabulary-service:formats> {
    <urn:vocabulary-service:format:marc%2Fxml> <http://purl.org/dc/terms/title> "MARC 21 XML Schema" . #@ triple
  }
} ;
#.
DELETE { GRAPH <urn:vocabulary-service:formats> { ?formats <urn:x-vocabulary-service:revision> ?old } }
WHERE { GRAPH <urn:vocabulary-service:formats> { ?formats <urn:x-vocabulary-service:revision> ?old } } ;
INSERT DATA {
  GRAPH <urn:vocabulary-service:formats> {
    <urn:vocabulary-service:formats> <urn:x-vocabulary-service:revision> "00000000-0000-4000-8000-000000000000" . #@ revision
  }
}
