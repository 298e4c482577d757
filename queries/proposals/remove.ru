#+ summary: Removes concepts from a vocabulary, with the nodes of their notes and the links within the graph that name them
#
# The concepts after them in the lists of the vocabulary move up: `places` and `topPlaces` have the places of the removed concepts, as
# ranges and the number of removed concepts before each. The vocabulary gets a new revision and a new load, by which the history
# knows that the store has made the change, and nobody holds its graph any more.
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>

DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?s ?p ?o
  }
}
WHERE {
  VALUES ?c { <http://example.org/vocabulary/crafts/suminagashi> } #@ concept
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?c ?way ?node
    FILTER(ISBLANK(?node))
    ?node ?further ?s
    FILTER(ISBLANK(?s))
    ?s ?p ?o
  }
} ;
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?s ?p ?o
  }
}
WHERE {
  VALUES ?c { <http://example.org/vocabulary/crafts/suminagashi> } #@ concept
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?c ?way ?s
    FILTER(ISBLANK(?s))
    ?s ?p ?o
  }
} ;
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?s ?p ?o
  }
}
WHERE {
  VALUES ?s { <http://example.org/vocabulary/crafts/suminagashi> } #@ concept
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?s ?p ?o
  }
} ;
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?s ?p ?o
  }
}
WHERE {
  VALUES ?o { <http://example.org/vocabulary/crafts/suminagashi> } #@ concept
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?s ?p ?o
    FILTER(?p IN (skos:broader, skos:narrower, skos:related, skos:member, skos:hasTopConcept))
  }
} ;
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?c <urn:x-vocabulary-service:position> ?place
  }
}
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?c <urn:x-vocabulary-service:position> ?moved
  }
}
WHERE {
  VALUES (?after ?before ?removed) { (1 1000000000 1) } #@ places
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?c <urn:x-vocabulary-service:position> ?place
  }
  FILTER(?place > ?after && ?place < ?before)
  BIND(?place - ?removed AS ?moved)
} ;
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?c <urn:x-vocabulary-service:topPosition> ?place
  }
}
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?c <urn:x-vocabulary-service:topPosition> ?moved
  }
}
WHERE {
  VALUES (?after ?before ?removed) { (1 1000000000 1) } #@ topPlaces
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?c <urn:x-vocabulary-service:topPosition> ?place
  }
  FILTER(?place > ?after && ?place < ?before)
  BIND(?place - ?removed AS ?moved)
} ;
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme ?list ?length
  }
}
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme ?list ?shorter
  }
}
WHERE {
  VALUES (?scheme ?list ?removed) { (<http://example.org/vocabulary/crafts/> <urn:x-vocabulary-service:concepts> 1) } #@ list
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme ?list ?length
  }
  BIND(?length - ?removed AS ?shorter)
} ;
DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme ?mark ?before
  }
}
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme ?mark ?after
  }
}
WHERE {
  VALUES (?scheme ?mark ?after) { (<http://example.org/vocabulary/crafts/> <urn:x-vocabulary-service:revision> "00000000-0000-4000-8000-000000000000") } #@ mark
  OPTIONAL {
    GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
      ?scheme ?mark ?before
    }
  }
}
