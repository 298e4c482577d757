#+ summary: Changes the hold of the graph of a vocabulary, if it is the expected one
#
# An empty text as the expected hold stands for none; without the block of the new one, the graph stays without a hold.
# The graph must have its vocabulary, unless the block is left out: for the hold that loads take.
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>

DELETE {
  GRAPH <http://example.org/vocabulary/materials/> { #@ graph
    ?scheme <urn:x-vocabulary-service:hold> ?before
  }
}
#? after
INSERT {
  GRAPH <http://example.org/vocabulary/materials/> { #@ graph
    <http://example.org/vocabulary/materials/> <urn:x-vocabulary-service:hold> "00000000-0000-4000-8000-000000000000 0" . #@ after
  }
}
#.
WHERE {
  #? vocabulary
  GRAPH <http://example.org/vocabulary/materials/> { #@ graph
    ?vocabulary rdf:type skos:ConceptScheme
    FILTER(?vocabulary IN (<http://example.org/vocabulary/materials/>)) #@ scheme
  }
  #.
  OPTIONAL {
    GRAPH <http://example.org/vocabulary/materials/> { #@ graph
      ?scheme <urn:x-vocabulary-service:hold> ?before
      FILTER(?scheme IN (<http://example.org/vocabulary/materials/>)) #@ scheme
    }
  }
  FILTER(COALESCE(STR(?before), "") IN ("")) #@ expected
}
