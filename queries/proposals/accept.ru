#+ summary: Takes the mark of proposals from concepts, and notes in the bookkeeping of the vocabulary that they were accepted
#
# The vocabulary gets a new revision and a new load, by which the history knows that the store has made the change, and
# nobody holds its graph any more.
PREFIX adms: <http://www.w3.org/ns/adms#>

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
  VALUES (?scheme ?concept) { (<http://example.org/vocabulary/crafts/> <http://example.org/vocabulary/crafts/suminagashi>) } #@ accepted
  GRAPH <http://example.org/vocabulary/crafts/> { #@ graph
    ?concept adms:status <http://purl.org/adms/status/UnderDevelopment>
  }
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
