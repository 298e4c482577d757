#+ summary: Changes the hold of the graph of a vocabulary, if it is the expected one
#
# An empty text as the expected hold stands for none; UNDEF as the new one leaves the graph without a hold. The graph must have its
# vocabulary, unless the block is left out: for the hold that loads take.
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>

DELETE {
  GRAPH <http://example.org/vocabulary/materials/> { #@ graph
    ?scheme <urn:x-vocabulary-service:hold> ?before
  }
}
INSERT {
  GRAPH <http://example.org/vocabulary/materials/> { #@ graph
    ?scheme <urn:x-vocabulary-service:hold> ?after
  }
}
WHERE {
  VALUES (?scheme ?expected ?after) { (<http://example.org/vocabulary/materials/> "" "00000000-0000-4000-8000-000000000000 0") } #@ hold
  #? vocabulary
  GRAPH <http://example.org/vocabulary/materials/> { #@ graph
    ?scheme rdf:type skos:ConceptScheme
  }
  #.
  OPTIONAL {
    GRAPH <http://example.org/vocabulary/materials/> { #@ graph
      ?scheme <urn:x-vocabulary-service:hold> ?before
    }
  }
  FILTER(COALESCE(STR(?before), "") = ?expected)
}
