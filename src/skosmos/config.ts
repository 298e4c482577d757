import type { Quad, Term } from '@rdfjs/types'
import { InputError } from '../files/input-error.ts'
import { compareCodePoints } from '../jskos/order.ts'
import { isVocabularyId } from '../jskos/vocabulary-id.ts'
import { DC, DCT, RDF_TYPE, SKOS, SKOSMOS, VOID } from '../namespaces.ts'

/** A vocabulary as the configuration of a Skosmos describes it. */
export interface ConfiguredVocabulary {
  /** The id in Skosmos, which is that here if it is in lower case. */
  id: string
  /** Names, with their languages in brackets. */
  titles: string[]
  languages: string[]
  /** Names or URIs of its categories. */
  categories: string[]
  /** The graph in the store of Skosmos, and the address for queries. */
  graph: string | undefined
  endpoint: string | undefined
  mainScheme: string | undefined
  /** How the URIs of its concepts begin. */
  uriSpace: string | undefined
  /** Addresses of files with the whole vocabulary. */
  dumps: string[]
}

/**
 * Reads the vocabularies from the statements of a config.ttl, in the order of their ids.
 *
 * @throws InputError if there are none.
 */
export function configuredVocabularies(quads: readonly Quad[], file: string): ConfiguredVocabulary[] {
  const of = (subject: Term, ...properties: string[]) =>
    quads.flatMap((quad) =>
      isSame(quad.subject, subject) && properties.includes(quad.predicate.value) ? quad.object : [],
    )
  const typed = (type: string) =>
    quads.flatMap(({ subject, predicate, object }) =>
      predicate.value === RDF_TYPE && object.value === SKOSMOS + type ? subject : [],
    )
  const defaults = typed('Configuration').flatMap((configuration) => of(configuration, `${SKOSMOS}sparqlEndpoint`))
  const vocabularies = typed('Vocabulary').map((vocabulary): ConfiguredVocabulary => {
    const first = (name: string) => of(vocabulary, SKOSMOS + name)[0]?.value
    return {
      id: /[^/#]*$/.exec(vocabulary.value)![0],
      titles: of(vocabulary, `${DCT}title`, `${DC}title`).map(named),
      languages: of(vocabulary, `${SKOSMOS}language`).map(({ value }) => value),
      categories: of(vocabulary, `${DCT}subject`).flatMap((category) => {
        const names = of(category, `${SKOS}prefLabel`).map(named)
        return names.length > 0 ? names : category.value
      }),
      graph: first('sparqlGraph'),
      endpoint: of(vocabulary, `${VOID}sparqlEndpoint`)[0]?.value ?? defaults[0]?.value,
      mainScheme: first('mainConceptScheme'),
      uriSpace: of(vocabulary, `${VOID}uriSpace`)[0]?.value,
      dumps: of(vocabulary, `${VOID}dataDump`).flatMap((dump) => (isMarc(dump, of) ? [] : dump.value)),
    }
  })
  if (vocabularies.length === 0) throw new InputError('has no skosmos:Vocabulary.', file)
  return vocabularies.sort((a, b) => compareCodePoints(a.id, b.id))
}

/** Terms of a file are plain objects. */
const isSame = (a: Term, b: Term) => a.termType === b.termType && a.value === b.value

const named = (term: Term) =>
  term.termType === 'Literal' && term.language ? `${term.value} (${term.language})` : term.value

function isMarc(dump: Term, of: (subject: Term, ...properties: string[]) => Term[]): boolean {
  return /\.mrcx$/.test(dump.value) || of(dump, `${DCT}format`).some(({ value }) => value.includes('marc'))
}

/**
 * A shell script that fetches each vocabulary and loads it.
 *
 * @param load the command that loads, such as `npm run vocab -- load`.
 */
export function loadScript(vocabularies: readonly ConfiguredVocabulary[], load: string): string {
  const sections = vocabularies.map((vocabulary) => {
    const { id, titles, languages, categories, graph, endpoint, mainScheme, uriSpace, dumps } = vocabulary
    const lower = id.toLowerCase()
    const file = `${lower.replace(/[^a-z0-9-]/g, '-')}.ttl`
    const flags = [
      ...(isVocabularyId(lower) ? ['--id', lower] : []),
      ...(mainScheme === undefined ? [] : ['--scheme', mainScheme]),
    ]
    return [
      `# ${inOneLine([id, ...titles].join(', '))}`,
      ...(languages.length > 0 ? [`# languages: ${inOneLine(languages.join(', '))}`] : []),
      ...(categories.length > 0 ? [`# categories: ${inOneLine(categories.join(', '))}`] : []),
      ...(isVocabularyId(lower) ? [] : ['# Its id is no id here; load chooses another.']),
      // Skosmos needs no concept scheme.
      ...(mainScheme === undefined && uriSpace !== undefined
        ? [`# If the file has no concept scheme, add: --scheme ${inOneLine(quoted(uriSpace))}`]
        : []),
      ...fetching(file, { graph, endpoint, dumps }),
      [load, file, ...flags.map(quoted)].join(' '),
    ].join('\n')
  })
  return `#!/bin/sh\nset -e\n\n${sections.join('\n\n')}\n`
}

/** How to get the file of a vocabulary: a dump in Turtle before other dumps, before its graph. */
function fetching(
  file: string,
  { graph, endpoint, dumps }: Pick<ConfiguredVocabulary, 'graph' | 'endpoint' | 'dumps'>,
): string[] {
  const dump = dumps.find((url) => url.endsWith('.ttl')) ?? dumps[0]
  if (dump !== undefined) return [`curl -fsSL -H 'Accept: text/turtle' -o ${file} ${quoted(dump)}`]
  if (graph === undefined) return [`# It has neither void:dataDump nor skosmos:sparqlGraph: put its file at ${file}.`]
  const query = quoted(`query=CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${graph}> { ?s ?p ?o } }`)
  const address = endpoint === undefined ? '"$SKOSMOS_SPARQL_ENDPOINT"' : quoted(endpoint)
  return [`curl -fsSL -G -H 'Accept: text/turtle' -o ${file} --data-urlencode ${query} ${address}`]
}

const inOneLine = (text: string) => text.replace(/\s+/g, ' ')

/** A word of a shell. */
const quoted = (word: string) => (/^[\w:/.=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
