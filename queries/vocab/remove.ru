#+ summary: Removes the graph of a vocabulary or subset
DROP SILENT GRAPH <http://example.org/vocabulary/crafts/subset/school> #@ graph
