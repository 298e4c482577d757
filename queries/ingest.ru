#+ summary: Adds new concepts to a vocabulary, all of them or none
#
# Writes nothing if the vocabulary no longer exists. Publisher and licence are those of the vocabulary at this moment. The
# revision tells readers that the vocabulary has changed. Statements that all concepts share appear once. The concepts go to
# the ends of the lists of the vocabulary; if it has no lists, because another program wrote it, they get no positions.
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX dct: <http://purl.org/dc/terms/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>

WITH <http://example.org/vocabulary/crafts/> #@ graph
DELETE { ?scheme <urn:x-vocabulary-service:revision> ?before }
INSERT { ?scheme <urn:x-vocabulary-service:revision> ?revision }
WHERE {
  VALUES ?scheme { <http://example.org/vocabulary/crafts/> } #@ scheme
  VALUES ?revision { "00000000-0000-4000-8000-000000000000" } #@ revision
  ?scheme rdf:type skos:ConceptScheme
  OPTIONAL { ?scheme <urn:x-vocabulary-service:revision> ?before }
} ;
WITH <http://example.org/vocabulary/crafts/> #@ graph
INSERT { ?s ?p ?o }
WHERE {
  VALUES ?scheme { <http://example.org/vocabulary/crafts/> } #@ scheme
  ?scheme rdf:type skos:ConceptScheme
  VALUES (?s ?p ?o) { (<http://example.org/vocabulary/crafts/paper-marbling> skos:prefLabel "Marmorieren"@de) } #@ triple
} ;
WITH <http://example.org/vocabulary/crafts/> #@ graph
INSERT {
  ?concept rdf:type skos:Concept ;
    skos:inScheme ?scheme ;
    skos:topConceptOf ?scheme ;
    dct:created ?date ;
    dct:modified ?date ;
    dct:publisher ?publisher ;
    dct:license ?license ;
    <urn:x-vocabulary-service:position> ?position ;
    <urn:x-vocabulary-service:topPosition> ?topPosition .
  ?scheme skos:hasTopConcept ?concept .
}
WHERE {
  VALUES ?scheme { <http://example.org/vocabulary/crafts/> } #@ scheme
  ?scheme rdf:type skos:ConceptScheme
  VALUES ?date { "2026-01-01"^^xsd:date } #@ date
  OPTIONAL { ?scheme dct:publisher ?publisher }
  OPTIONAL { ?scheme dct:license ?license }
  OPTIONAL { ?scheme <urn:x-vocabulary-service:concepts> ?concepts }
  OPTIONAL { ?scheme <urn:x-vocabulary-service:topConcepts> ?topConcepts }
  VALUES (?concept ?number) { (<http://example.org/vocabulary/crafts/paper-marbling> 1) } #@ concept
  BIND(?concepts + ?number AS ?position)
  BIND(?topConcepts + ?number AS ?topPosition)
} ;
WITH <http://example.org/vocabulary/crafts/> #@ graph
DELETE { ?scheme ?list ?length }
INSERT { ?scheme ?list ?longer }
WHERE {
  VALUES ?scheme { <http://example.org/vocabulary/crafts/> } #@ scheme
  VALUES ?list { <urn:x-vocabulary-service:concepts> <urn:x-vocabulary-service:topConcepts> }
  VALUES ?number { 1 } #@ number
  ?scheme ?list ?length
  BIND(?length + ?number AS ?longer)
}
