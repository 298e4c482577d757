#+ summary: Adds new concepts to a vocabulary, all of them or none
#
# Writes nothing if the vocabulary no longer exists, while somebody holds its graph to replace it, or if the first
# concept is there, so that the same concepts can be sent again: the first operation gives the vocabulary a new
# revision, and the others need this revision. It keeps the revision before, from which an index that has all of it
# goes on to the new one. The concepts are marked as under development, and get the publisher and the licence that the
# vocabulary has at this moment. The revision tells readers that the vocabulary has changed. Statements that all
# concepts share appear once. Each concept has the revision that added it, by which the last operation, and indexes of
# other instances, find it.
#
# The order that follows from the notations of a vocabulary ends with a notation of another kind, and begins with the
# first notations.
#
# Each operation names its graph with GRAPH, because Oxigraph's server refuses WITH over a union default graph. The data
# stand in the templates, because RDF4J's server loses in an INSERT what VALUES binds.
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX dct: <http://purl.org/dc/terms/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
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
    <http://example.org/vocabulary/crafts/> <urn:x-vocabulary-service:revision> "00000000-0000-4000-8000-000000000000" . #@ revision
    ?scheme <urn:x-vocabulary-service:previousRevision> ?before
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme rdf:type skos:ConceptScheme
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
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
    VALUES ?first { <http://example.org/vocabulary/crafts/kirigami> } #@ first
    GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
      ?first skos:inScheme ?scheme
    }
  }
} ;
#? order
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    <http://example.org/vocabulary/crafts/> <urn:x-vocabulary-service:order> "natural" . #@ order
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:revision> ?revision
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
    FILTER(?revision IN ("00000000-0000-4000-8000-000000000000")) #@ change
    FILTER NOT EXISTS { ?any skos:inScheme ?scheme ; rdf:type skos:Concept ; skos:notation ?notation }
  }
} ;
#.
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    <http://example.org/vocabulary/crafts/kirigami> <http://www.w3.org/2004/02/skos/core#prefLabel> "Kirigami"@de . #@ triple
    <http://example.org/vocabulary/crafts/kirigami> <urn:x-vocabulary-service:ingested> "00000000-0000-4000-8000-000000000000" . #@ concept
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:revision> ?revision
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
    FILTER(?revision IN ("00000000-0000-4000-8000-000000000000")) #@ change
  }
} ;
INSERT {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?concept rdf:type skos:Concept ;
      skos:inScheme ?scheme ;
      skos:topConceptOf ?scheme ;
      adms:status <http://purl.org/adms/status/UnderDevelopment> ;
      dct:publisher ?publisher ;
      dct:license ?license .
    ?scheme skos:hasTopConcept ?concept .
  }
}
WHERE {
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?scheme <urn:x-vocabulary-service:revision> ?revision .
    ?concept <urn:x-vocabulary-service:ingested> ?revision
    FILTER(?scheme IN (<http://example.org/vocabulary/crafts/>)) #@ scheme
    FILTER(?revision IN ("00000000-0000-4000-8000-000000000000")) #@ change
    OPTIONAL { ?scheme dct:publisher ?publisher }
    OPTIONAL { ?scheme dct:license ?license }
  }
}
