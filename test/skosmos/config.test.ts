/** `vocab import-skosmos-config`: its script is one that a shell reads as it is meant. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { runCommand } from '../command.ts'
import { temporaryFolder } from '../folder.ts'
import { newDirectory } from '../process.ts'

const { write } = temporaryFolder()
const CONFIG = `
@prefix void: <http://rdfs.org/ns/void#> .
@prefix dc: <http://purl.org/dc/terms/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix skosmos: <http://purl.org/net/skosmos#> .
@prefix : <http://base/#> .
:config a skosmos:Configuration ; skosmos:sparqlEndpoint <http://localhost:3030/ds/sparql> .
:categories skos:prefLabel "Science"@en .
:YSO a skosmos:Vocabulary, void:Dataset ; dc:title """YSO
$(touch here)"""@fi ; dc:subject :categories ; skosmos:language "fi", "sv" ;
  void:dataDump <http://example.org/yso.mrcx>, <http://example.org/yso.rdf>, <http://example.org/yso.ttl> ;
  skosmos:mainConceptScheme <http://www.yso.fi/onto/yso/> ; skosmos:sparqlGraph <http://www.yso.fi/onto/yso/> .
:test a skosmos:Vocabulary ; skosmos:sparqlGraph <http://example.org/it's/$HOME> .
:none a skosmos:Vocabulary ; void:uriSpace "http://example.org/none/" .
`

describe('vocab import-skosmos-config', () => {
  const run = async (...args: string[]) =>
    runCommand(['import-skosmos-config', ...args], { DATA_DIR: await newDirectory() })

  test('prints the calls that fetch and load each vocabulary', async () => {
    const file = await write('config.ttl', CONFIG)
    const { code, stdout, stderr } = await run(file)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.split('\n')).toEqual([
      '#!/bin/sh',
      'set -e',
      '',
      '# YSO, YSO $(touch here) (fi)',
      '# languages: fi, sv',
      '# categories: Science (en)',
      "curl -fsSL -H 'Accept: text/turtle' -o yso.ttl http://example.org/yso.ttl",
      'npm run vocab -- load yso.ttl --id yso --scheme http://www.yso.fi/onto/yso/',
      '',
      '# none',
      '# If the file has no concept scheme, add: --scheme http://example.org/none/',
      '# It has neither void:dataDump nor skosmos:sparqlGraph: put its file at none.ttl.',
      'npm run vocab -- load none.ttl --id none',
      '',
      '# test',
      expect.stringContaining("GRAPH <http://example.org/it'\\''s/$HOME>"),
      'npm run vocab -- load test.ttl --id test',
      '',
    ])
    // The shell gives a program the words that were meant.
    const line = stdout.split('\n').find((one) => one.includes('CONSTRUCT'))!
    const { stdout: words } = await promisify(execFile)('sh', ['-c', line.replace('curl', `printf '%s\\n'`)])
    expect(words.split('\n').slice(-3)).toEqual([
      "query=CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <http://example.org/it's/$HOME> { ?s ?p ?o } }",
      'http://localhost:3030/ds/sparql',
      '',
    ])
  })

  test('says in one line that a file is no configuration', async () => {
    const file = await write('other.ttl', '<urn:a> <urn:b> <urn:c> .')
    const { code, stdout, stderr } = await run(file)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/other\.ttl.*has no skosmos:Vocabulary\.\n$/)
  })
})
