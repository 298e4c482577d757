import { describe, expect, test } from '@jest/globals'
import { queryShape, updateScope } from '../../src/store/sparql-text.ts'

describe('queryShape', () => {
  test.each([
    ['SELECT * { ?s ?p ?o }', 'solutions', false],
    ['ask {}', 'solutions', false],
    ['construct where { ?s ?p ?o }', 'graph', false],
    ['DESCRIBE <urn:a>', 'graph', false],
    ['# SELECT\nPREFIX select: <urn:ASK#> BASE <urn:from> CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }', 'graph', false],
    ['PREFIX x:<urn:x>PREFIX ask:<urn:y>DESCRIBE x:a', 'graph', false],
    ['SELECT * FROM <urn:g> { ?s ?p ?o }', 'solutions', true],
    ['SELECT * from named <urn:g> WHERE { ?s ?p ?o }', 'solutions', true],
    ['SELECT (EXISTS { ?a ?b ?c } AS ?e) FROM <urn:g> WHERE {}', 'solutions', true],
    ['CONSTRUCT { ?s ?p ?o } FROM <urn:g> WHERE { ?s ?p ?o }', 'graph', true],
    ['SELECT ?from WHERE { ?from from:from "FROM", \'FROM\', """a " FROM""", "x\\" FROM "@from }', 'solutions', false],
    ['SELECT * { ?s <urn:FROM> ?o } # FROM <urn:g>', 'solutions', false],
    ['SELECT * { ?s ?p ?o FILTER(?a<?b && "FROM">?c) }', 'solutions', false],
    ['no query at all', 'solutions', false],
    ['', 'solutions', false],
  ])('%s', (query, results, hasDataset) => {
    expect(queryShape(query)).toEqual({ results, hasDataset })
  })

  test('is not slowed or stopped by literals of many megabytes', () => {
    const literal = `"${'x\\" FROM '.repeat(2_000_000)}"`
    expect(queryShape(`SELECT * { ?s ?p ${literal} }`).hasDataset).toBe(false)
    expect(queryShape(`SELECT * { ?s ?p ""${literal}"" }`).hasDataset).toBe(false)
  })
})

describe('updateScope', () => {
  test.each([
    ['INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> "NOW() RAND() GRAPH ?x" } }', ['urn:g'], true],
    ['INSERT DATA { <urn:s> <urn:p> 1 }', [], true],
    ['DELETE DATA { GRAPH<urn:g>{<urn:s> <urn:p> 1} } ; INSERT DATA { GRAPH <urn:h> {} }', ['urn:g', 'urn:h'], true],
    ['WITH <urn:g> DELETE { ?s ?p ?o } INSERT { ?s ?p 1 } WHERE { ?s ?p ?o }', ['urn:g'], true],
    [
      'INSERT { GRAPH <urn:g> { ?s ?p ?o } } USING NAMED <urn:h> WHERE { GRAPH <urn:h> { ?s ?p ?o } }',
      ['urn:g', 'urn:h'],
      true,
    ],
    ['MOVE SILENT <urn:a> TO GRAPH <urn:b>', ['urn:a', 'urn:b'], true],
    ['COPY DEFAULT TO <urn:b>; ADD GRAPH <urn:a> TO DEFAULT', ['urn:b', 'urn:a'], true],
    ['DROP SILENT GRAPH <urn:g>', ['urn:g'], true],
    ['CLEAR DEFAULT', [], true],
    ['CLEAR ALL', undefined, true],
    ['DROP NAMED', undefined, true],
    ['CLEAR NAMED ; INSERT DATA { <urn:s> <urn:p> 1 }', undefined, true],
    ['DELETE WHERE { GRAPH ?g { ?s ?p ?o } }', undefined, true],
    ['PREFIX x: <urn:x:> INSERT DATA { GRAPH x:g { <urn:s> <urn:p> 1 } }', undefined, true],
    ['BASE <urn:x:> INSERT DATA { GRAPH <g> { <urn:s> <urn:p> 1 } }', undefined, true],
    ['INSERT DATA { GRAPH <urn:\\u0067> { <urn:s> <urn:p> 1 } }', undefined, true],
    ['INSERT { GRAPH <urn:g> { <urn:s> <urn:p> ?n } } WHERE { BIND(now() AS ?n) }', ['urn:g'], false],
    ['INSERT { GRAPH <urn:g> { <urn:s> <urn:p> ?n } } WHERE { BIND(UUID() AS ?n) }', ['urn:g'], false],
    ['INSERT { GRAPH <urn:g> { ?s <urn:p> 1 } } WHERE { { SELECT ?s { ?s ?p ?o } LIMIT 1 } }', ['urn:g'], false],
    ['INSERT { GRAPH <urn:g> { ?s ?p ?x } } WHERE { SELECT (SAMPLE(?o) AS ?x) { ?s ?p ?o } }', ['urn:g'], false],
    ['INSERT DATA { GRAPH <urn:g> { <urn:NOW> <urn:RAND> now:rand } } # NOW()', ['urn:g'], true],
  ])('%s', (update, graphs, repeatable) => {
    expect(updateScope(update)).toEqual({ graphs, repeatable })
  })
})
