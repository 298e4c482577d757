/** A concordance and its mappings: with and without labels, several concepts on one side, and none. */
import { loadConcordances } from '../../../src/doors/mappings/load-concordances.ts'
import { loadMappings } from '../../../src/doors/mappings/load.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import type { RunningApp } from '../../app.ts'

export const C = 'http://example.org/concordance/ab'
export const SCHEMES = {
  fromScheme: { uri: 'http://example.org/a/', notation: ['A'] },
  toScheme: { uri: 'http://example.org/b/', notation: ['B'] },
}
const CONCORDANCE = {
  uri: C,
  notation: ['ab'],
  type: ['http://rdfs.org/ns/void#Linkset'],
  ...SCHEMES,
  prefLabel: { de: 'A "nach" B' },
  license: [{ uri: 'http://creativecommons.org/publicdomain/zero/1.0/' }],
}
export const MAPPINGS = [
  {
    from: { memberSet: [{ uri: 'http://example.org/a/1', notation: ['A 1'], prefLabel: { de: '"Eins",\tzwei' } }] },
    to: { memberSet: [{ uri: 'http://example.org/b/1', notation: ['=B 1'] }] },
    ...SCHEMES,
    type: [`${SKOS}exactMatch`],
    creator: [{ uri: 'http://example.org/people/ada', prefLabel: { de: 'Ada|Beispiel' } }],
    created: '2024-01-05T00:00:00.000Z',
    modified: '2024-04-01T00:00:00.000Z',
    mappingRelevance: 0.8,
    justification: 'https://w3id.org/semapv/vocab/ManualMappingCuration',
  },
  {
    from: { memberSet: [{ uri: 'http://example.org/a/2', notation: ['A 2'] }] },
    to: { memberSet: [{ uri: 'http://example.org/b/2' }, { uri: 'http://example.org/b/3', notation: ['B 3'] }] },
    ...SCHEMES,
    type: [`${SKOS}narrowMatch`],
    modified: '2024-03-01T00:00:00.000Z',
  },
  {
    from: { memberSet: [{ uri: 'http://example.org/a/3', notation: ['A 3'] }] },
    to: { memberSet: [] },
    ...SCHEMES,
    modified: '2024-02-01T00:00:00.000Z',
  },
]

/**
 * Loads both, as a command does.
 *
 * @param write writes a file into a folder of the test.
 * @returns the index for further loads; the caller closes it.
 */
export async function loadConcordance(
  { client, config }: RunningApp,
  write: (name: string, content: string) => Promise<string>,
): Promise<IndexOfCommands> {
  const index = new IndexOfCommands(config.dataDir, (error) => {
    throw error
  })
  await loadConcordances(client, [await write('concordances.json', JSON.stringify([CONCORDANCE]))], { index })
  await loadMappings(client, [await write('mappings.json', JSON.stringify(MAPPINGS))], 'ab', { index })
  return index
}
