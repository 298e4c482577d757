#+ summary: Removes concepts from a vocabulary, with the nodes of their notes and the links within the graph that name them
#
# Nodes that other resources refer to stay, such as a publisher without a URI, which an ingest takes over from the vocabulary.
# The vocabulary gets the order that follows from the notations that are left, a new revision and a new load, by which the history knows that the store has made the change,
# and nobody holds its graph any more.
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
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
    FILTER NOT EXISTS {
      ?other ?link ?node
      FILTER(?other NOT IN (<http://example.org/vocabulary/crafts/suminagashi>)) #@ concept
    }
    ?node ?further ?s
    FILTER(ISBLANK(?s))
    FILTER NOT EXISTS { ?outer ?leads ?s FILTER(?outer != ?node) }
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
    FILTER NOT EXISTS {
      ?other ?link ?s
      FILTER(?other NOT IN (<http://example.org/vocabulary/crafts/suminagashi>)) #@ concept
    }
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
    FILTER(?p IN (skos:broader, skos:narrower, skos:related, skos:member, skos:hasTopConcept, <urn:x-vocabulary-service:accepted>))
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
} ;
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    <http://example.org/vocabulary/crafts/> <urn:x-vocabulary-service:order> "natural" . #@ natural
  }
}
WHERE {
  VALUES ?scheme { <http://example.org/vocabulary/crafts/> } #@ scheme
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    FILTER EXISTS { ?some skos:inScheme ?scheme ; rdf:type skos:Concept ; skos:notation ?notation }
    FILTER NOT EXISTS {
      ?any skos:inScheme ?scheme ; rdf:type skos:Concept ; skos:notation ?other
      FILTER(!REGEX(STR(?other), "^(0|[1-9][0-9]*)$"))
    }
  }
} ;
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    <http://example.org/vocabulary/crafts/> <urn:x-vocabulary-service:order> "label" . #@ label
  }
}
WHERE {
  VALUES ?scheme { <http://example.org/vocabulary/crafts/> } #@ scheme
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    FILTER EXISTS { ?some skos:inScheme ?scheme ; rdf:type skos:Concept ; skos:notation ?notation }
    FILTER NOT EXISTS {
      ?any skos:inScheme ?scheme ; rdf:type skos:Concept ; skos:notation ?other
      FILTER(!REGEX(STR(?other), "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"))
    }
  }
}
