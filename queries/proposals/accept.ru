#+ summary: Takes the mark of proposals from concepts, and notes in the bookkeeping of the vocabulary that they were accepted
#
# The vocabulary gets a new revision and a new load, by which the history knows that the store has made the change, and
# nobody holds its graph any more.
PREFIX adms: <http://www.w3.org/ns/adms#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>

DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?concept adms:status <http://purl.org/adms/status/UnderDevelopment>
  }
}
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:accepted> ?concept
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme rdf:type skos:ConceptScheme .
    ?concept adms:status <http://purl.org/adms/status/UnderDevelopment>
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
    FILTER(?concept IN (<http://example.org/vocabulary/crafts/suminagashi>)) #@ concept
  }
} ;
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme ?mark ?before
  }
}
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    <http://example.org/vocabulary/crafts/> <urn:x-vocabulary-service:revision> "00000000-0000-4000-8000-000000000000" . #@ marks
  }
}
WHERE {
  OPTIONAL {
    GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
      ?scheme ?mark ?before
      FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
      FILTER(?mark IN (<urn:x-vocabulary-service:revision>)) #@ former
    }
  }
}
