/**
 * Each question in two or three formulations.
 *
 * The first one is the template as it is. All give the same concepts (this is checked), asked in turn within one run.
 */
import { ApiError } from '../src/base/errors.ts'
import { queryTemplate, type Bindings } from '../src/graph/sparql/templates.ts'
import type { TemplateName } from '../src/graph/sparql/template-names.ts'
import { iri, literal } from '../src/graph/sparql/terms.ts'
import { median } from './measure.ts'
import { findSamples, type Samples } from './samples.ts'
import { FILES, LARGE, withStore, type Store, type StoreName } from './stand.ts'

interface TemplateOptions {
  /** The whole of Iconclass instead of the usual vocabularies. */
  large: boolean
  /** Part of the name of a question. */
  only: string
}

const ROUNDS = 9
const GIVEN_UP = ['ServiceUnavailableError', 'TimeoutError']

const PREFIXES = `PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX dct: <http://purl.org/dc/terms/>
`

/** A formulation: the part that finds the concepts `?c`; the rest is the same for all. */
const ordered = (where: string, limit = 400) => `${PREFIXES}
SELECT ?c (MIN(STR(?notation)) AS ?key) WHERE {
  ${where}
  OPTIONAL { ?c skos:notation ?notation }
}
GROUP BY ?c ORDER BY (!BOUND(?key)) ?key ?c LIMIT ${limit}`

const template = (name: TemplateName, bindings: Bindings) => queryTemplate(name).bind(bindings).text
const list = (name: TemplateName, terms: NonNullable<Bindings['terms']>, limit = 400) =>
  template(name, {
    terms,
    include: ['order', 'page'],
    limit,
    offset: 0,
  })

interface Question {
  name: string
  formulations: Record<string, string>
}

function questions({ mostNarrower, deepest: [deepest], root, notation, concepts, scheme }: Samples): Question[] {
  const inScheme = 'FILTER EXISTS { ?c skos:inScheme ?scheme }'
  const fifty = concepts.slice(0, 50)
  return [
    {
      name: 'narrower',
      formulations: {
        template: list('narrower', { uri: [iri(mostNarrower.uri)] }),
        'by broader': ordered(
          `?c skos:broader <${mostNarrower.uri}> . FILTER(?c != <${mostNarrower.uri}>) ${inScheme}`,
        ),
        'inScheme as a pattern': ordered(`<${mostNarrower.uri}> skos:narrower ?c . ?c skos:inScheme ?scheme .`),
        'in its graph': ordered(`GRAPH ?g { <${mostNarrower.uri}> skos:narrower ?c . ?c skos:inScheme ?scheme }`),
      },
    },
    {
      name: 'descendants',
      formulations: {
        template: list('descendants', { uri: [iri(root)] }, 10_000),
        'by broader+': ordered(`{ SELECT DISTINCT ?c { ?c skos:broader+ <${root}> } } ${inScheme}`, 10_000),
        'without DISTINCT': ordered(`<${root}> skos:narrower+ ?c . ${inScheme}`, 10_000),
        'inScheme as a pattern': ordered(
          `{ SELECT DISTINCT ?c { <${root}> skos:narrower+ ?c } } ?c skos:inScheme ?scheme .`,
          10_000,
        ),
      },
    },
    {
      name: 'ancestors',
      formulations: {
        template: template('ancestors', { terms: { uri: [iri(deepest!.uri)] } }),
        'by narrower*': ordered(`{ SELECT DISTINCT ?c { ?c skos:narrower* <${deepest!.uri}> } } ${inScheme}`),
        'without DISTINCT': ordered(`<${deepest!.uri}> skos:broader* ?c . ${inScheme}`),
      },
    },
    {
      name: 'data by notation',
      formulations: {
        template: list('data', { notation: [literal(notation)] }),
        'as a term': ordered(`?c skos:notation ${literal(notation)} . ${inScheme}`),
        'by its text': ordered(`?c skos:notation ?any . FILTER(STR(?any) = ${literal(notation)}) ${inScheme}`),
      },
    },
    {
      name: 'data by uri',
      formulations: {
        template: list('data', { uri: fifty.map(iri) }),
        'inScheme as a pattern': ordered(`VALUES ?c { ${fifty.map(iri).join(' ')} } ?c skos:inScheme ?scheme .`),
        IN: ordered(`?c skos:inScheme ?scheme . FILTER(?c IN (${fifty.map(iri).join(', ')}))`),
      },
    },
    {
      name: 'top concepts',
      formulations: {
        template: list('voc/top', { of: [iri(scheme)] }),
        'by hasTopConcept': ordered(`<${scheme}> skos:hasTopConcept ?c . ${inScheme}`),
        'without broader': ordered(`?c skos:inScheme <${scheme}> . FILTER NOT EXISTS { ?c skos:broader ?b }`),
      },
    },
    {
      name: 'all concepts, the first 100',
      formulations: {
        template: list('voc/concepts', { of: [iri(scheme)] }, 100),
        'by class': ordered(`GRAPH <${scheme}> { ?c rdf:type skos:Concept }`, 100),
        'without EXISTS': ordered(`?c skos:inScheme <${scheme}> .`, 100),
      },
    },
  ]
}

/** The time for an answer; Infinity if the store gives up. */
async function ask(store: Store, query: string): Promise<{ ms: number; concepts: string }> {
  const started = performance.now()
  const rows = await store.client.select(query).catch((error: unknown) => {
    if (error instanceof ApiError && GIVEN_UP.includes(error.name)) return undefined
    throw error
  })
  if (!rows) return { ms: Infinity, concepts: '' }
  const concepts = [...new Set(rows.map(({ c }) => c!.value))].sort()
  return { ms: performance.now() - started, concepts: concepts.join(' ') }
}

/** Prints a row for each formulation of each question. */
export async function compareTemplates(stores: readonly StoreName[], { large, only }: TemplateOptions): Promise<void> {
  for (const name of stores)
    await withStore(name, large ? 'full' : 'base', large ? LARGE : FILES, (store) => compare(store, only))
}

async function compare(store: Store, only: string): Promise<void> {
  console.log(`\n${store.name}\n\n| question | formulation | median ms | beside the template |\n|---|---|---|---|`)
  for (const question of questions(await findSamples(store.client))) {
    if (!question.name.includes(only)) continue
    const times: Record<string, number[]> = {}
    const results: Record<string, string> = {}
    for (let round = 0; round < ROUNDS; round++) {
      for (const [formulation, query] of Object.entries(question.formulations)) {
        // A formulation that takes too long is asked once.
        if ((times[formulation]?.[0] ?? 0) > 10_000) continue
        const { ms, concepts } = await ask(store, query)
        ;(times[formulation] ??= []).push(ms)
        results[formulation] = concepts
      }
    }
    for (const [formulation, ms] of Object.entries(times)) {
      const same = results[formulation] === results['template'] || ms[0] === Infinity ? '' : ' (other concepts!)'
      const ratio = median(ms) / median(times['template']!)
      console.log(`| ${question.name} | ${formulation}${same} | ${median(ms).toFixed(1)} | ${ratio.toFixed(2)} |`)
    }
  }
}
