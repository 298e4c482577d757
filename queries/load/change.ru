#+ summary: Makes the differences of a load in the graph of a vocabulary, and changes nothing if its last load is not the expected one
#
# The data stand in the templates, because some stores lose in an INSERT what VALUES binds. The bookkeeping of the
# vocabulary and of ingested concepts follows, that of the load last, because the condition of every operation asks for
# the load before.
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    <http://example.org/vocabulary/crafts/bookbinding> <http://www.w3.org/2004/02/skos/core#altLabel> "Buchbindekunst"@de . #@ removed
  }
}
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    <http://example.org/vocabulary/crafts/bookbinding> <http://www.w3.org/2004/02/skos/core#altLabel> "Einbandkunst"@de . #@ added
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:load> ?load
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
    FILTER(?load IN ("00000000-0000-4000-8000-000000000000")) #@ before
  }
} ;
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme ?mark ?value
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:load> ?load ;
      ?mark ?value
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
    FILTER(?load IN ("00000000-0000-4000-8000-000000000000")) #@ before
    FILTER(STRSTARTS(STR(?mark), "urn:x-vocabulary-service:"))
    FILTER(?mark NOT IN (<urn:x-vocabulary-service:load>, <urn:x-vocabulary-service:hold>))
  }
} ;
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?concept <urn:x-vocabulary-service:ingested> ?revision
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:load> ?load .
    ?concept <urn:x-vocabulary-service:ingested> ?revision
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
    FILTER(?load IN ("00000000-0000-4000-8000-000000000000")) #@ before
  }
} ;
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:load> ?load
  }
}
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    <http://example.org/vocabulary/crafts/> <urn:x-vocabulary-service:load> "00000000-0000-4000-8000-000000000001" . #@ marks
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:load> ?load
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
    FILTER(?load IN ("00000000-0000-4000-8000-000000000000")) #@ before
  }
}
