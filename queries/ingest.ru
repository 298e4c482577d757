#+ summary: Adds new concepts to a vocabulary, all of them or none
#
# Writes nothing if the vocabulary no longer exists, while somebody holds its graph to replace it, or if the first
# concept is there, so that the same concepts can be sent again: the first operation gives the vocabulary a new
# revision, and the others need this revision. It keeps the revision before, from which an index that has all of it
# goes on to the new one. The concepts are marked as under development, and get the publisher and the licence that the
# vocabulary has at this moment. The revision tells readers that the vocabulary has changed. Statements that all
# concepts share appear once. Each concept has the revision that added it, so that indexes of other instances find it.
#
# The order that follows from the notations of a vocabulary ends with a notation of another kind, and begins with the
# first notations.
#
# Each operation names its graph with GRAPH and has one VALUES, because every store understands these: Oxigraph's
# server refuses WITH over a union default graph, and RDF4J's server loses rows if there are several VALUES.
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX dct: <http://purl.org/dc/terms/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX adms: <http://www.w3.org/ns/adms#>

DELETE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:revision> ?before ;
      <urn:x-vocabulary-service:previousRevision> ?older ;
      <urn:x-vocabulary-service:order> ?order
  }
}
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:revision> ?revision ;
      <urn:x-vocabulary-service:previousRevision> ?before
  }
}
WHERE {
  VALUES (?scheme ?revision ?first) { (<http://example.org/vocabulary/crafts/> "00000000-0000-4000-8000-000000000000" <http://example.org/vocabulary/crafts/kirigami>) } #@ revision
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme rdf:type skos:ConceptScheme
    OPTIONAL { ?scheme <urn:x-vocabulary-service:revision> ?before }
    OPTIONAL { ?scheme <urn:x-vocabulary-service:previousRevision> ?older }
    OPTIONAL { ?scheme <urn:x-vocabulary-service:hold> ?hold }
    OPTIONAL {
      ?scheme <urn:x-vocabulary-service:order> ?order
      FILTER(?order NOT IN ("natural", "label")) #@ lasting
    }
  }
  FILTER(!BOUND(?hold))
  FILTER NOT EXISTS {
    GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
      ?first skos:inScheme ?scheme
    }
  }
} ;
#? order
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:order> ?order
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:revision> ?revision
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
    FILTER(?revision IN ("00000000-0000-4000-8000-000000000000")) #@ change
    FILTER NOT EXISTS { ?any skos:inScheme ?scheme ; rdf:type skos:Concept ; skos:notation ?notation }
  }
  VALUES ?order { "natural" } #@ order
} ;
#.
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?s ?p ?o
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:revision> ?revision
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
    FILTER(?revision IN ("00000000-0000-4000-8000-000000000000")) #@ change
  }
  VALUES (?s ?p ?o) { (<http://example.org/vocabulary/crafts/kirigami> skos:prefLabel "Kirigami"@de) } #@ triple
} ;
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?concept rdf:type skos:Concept ;
      skos:inScheme ?scheme ;
      skos:topConceptOf ?scheme ;
      adms:status <http://purl.org/adms/status/UnderDevelopment> ;
      dct:created ?date ;
      dct:modified ?date ;
      dct:publisher ?publisher ;
      dct:license ?license ;
      <urn:x-vocabulary-service:ingested> ?revision .
    ?scheme skos:hasTopConcept ?concept .
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:revision> ?revision
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
    FILTER(?revision IN ("00000000-0000-4000-8000-000000000000")) #@ change
    OPTIONAL { ?scheme dct:publisher ?publisher }
    OPTIONAL { ?scheme dct:license ?license }
  }
  VALUES (?concept ?date) { (<http://example.org/vocabulary/crafts/kirigami> "2026-01-01"^^xsd:date) } #@ concept
}
