import { describe, expect, test } from '@jest/globals'
import { queryShape } from '../../../src/interface/store/query-shape.ts'

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
