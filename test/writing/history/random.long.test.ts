/**
 * Random sequences of changes to a vocabulary: after each, replaying the log gives the graph, and every earlier state
 * can be read. TEST_LONG=1: many more sequences, others each time.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { loadVocabulary, normaliseStored } from '../../../src/writing/loading/load-vocabulary.ts'
import { addSubset } from '../../../src/writing/loading/subsets.ts'
import { CONCEPT, SKOS } from '../../../src/base/namespaces.ts'
import { removeSubset, removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { readProposals } from '../../../src/graph/vocabularies/proposals.ts'
import { removeProposals } from '../../../src/writing/proposals/decide.ts'
import { temporaryFolder } from '../../folder.ts'
import { concept, startIngest, type IngestService, type TestAccount } from '../ingest/service.ts'
import { LONG } from '../../long.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'
import { replayed, replayedAt, stored } from './agreement.ts'

const RUNS = LONG ? 100 : 3
const CONCEPTS = 4

const someConcept = fc.record({
  label: fc.constantFrom('Arch', 'Beam', 'É "x" \\', 'İ'),
  altLabels: fc.subarray(['Vault', 'a\nb', '<b>']),
  broader: fc.option(fc.nat(CONCEPTS - 1)),
  related: fc.option(fc.nat(CONCEPTS - 1)),
  note: fc.option(fc.constantFrom('"Plain"@en', '[ rdf:value "Curved"@en ]', '[ dct:relation ( :c0 [] "z" ) ]')),
  value: fc.constantFrom('1', '01', '1.50', 'true', '"2020-01-01T00:00:00.0Z"^^xsd:dateTime', '"x"'),
  isDeprecated: fc.boolean(),
})
type SomeConcept = typeof someConcept extends fc.Arbitrary<infer Value> ? Value : never

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('load' as const),
      name: fc.constantFrom('Bridges', 'Brücken'),
      concepts: fc.array(fc.option(someConcept, { freq: 3 }), { minLength: CONCEPTS, maxLength: CONCEPTS }),
      isReversed: fc.boolean(),
      proposals: fc.constantFrom('kept', 'kept', 'taken over', 'dropped'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('load again' as const) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('ingest' as const), label: fc.constantFrom('Seil', 'Zug') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('edit' as const),
      at: fc.nat(CONCEPTS - 1),
      edit: fc.constantFrom('insert', 'delete', 'label'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove a proposal' as const), at: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('subset' as const), at: fc.nat(CONCEPTS - 1) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove subset' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

describeOver(DEPLOYED, 'any sequence of changes', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let vocabularies = 0

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    // The log begins with it.
    await new Bridges().take({ does: 'load', name: 'Bridges', concepts: [], isReversed: false, proposals: 'kept' })
  }, 60_000)
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  /** One vocabulary, and its state after each step. */
  class Bridges {
    readonly id = `bridges-${vocabularies++}`
    readonly uri = `http://example.org/${this.id}/`
    readonly subset = `${this.uri}subset_${this.id}`
    readonly concepts = Array.from({ length: CONCEPTS }, (_, at) => `${this.uri}c${at}`)
    /** The file that was loaded last. */
    file: string | undefined
    isThere = false
    hasSubset = false
    account: TestAccount | undefined
    readonly states: {
      time: string
      graphs: Map<string, Map<string, string[]>>
      records: { view: Record<string, string>; body: unknown }[]
    }[] = []

    async take(step: Step): Promise<void> {
      const { client, state } = service
      const history = service.history!
      if (step.does === 'load') {
        const [taken] = (await readProposals(client, this.uri)).map(({ uri }) => uri)
        const file = await write(`${this.id}.ttl`, this.turtle(step, taken))
        const dropProposals = step.proposals === 'dropped'
        await loadVocabulary(client, [file], { ids: [this.id], history, check: false, dropProposals })
        this.isThere = true
        this.file = file
      } else if (step.does === 'load again') {
        if (this.file) await loadVocabulary(client, [this.file], { ids: [this.id], history, check: false })
        this.isThere ||= this.file !== undefined
      } else if (this.isThere) {
        if (step.does === 'ingest') {
          this.account ??= await service.account({ voc: this.uri })
          const label = { prefLabel: { de: step.label }, inScheme: [{ uri: this.uri }] }
          const answer = await service.propose(this.account, [concept(label)])
          expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
          this.concepts.push(answer.body[0].uri)
        } else if (step.does === 'remove a proposal') {
          const proposal = (await readProposals(client, this.uri))[step.at]
          if (proposal) await removeProposals(client, [proposal.uri], history)
        } else if (step.does === 'edit') {
          await client.update(this.edit(step), this.uri)
          await normaliseStored(client, this.id, history)
        } else if (step.does === 'subset') {
          const branch = this.concepts[step.at]!
          const isMember = await client.ask(`ASK { GRAPH <${this.uri}> { <${branch}> a <${CONCEPT}> } }`)
          if (isMember) await addSubset(client, { id: `subset_${this.id}`, of: this.id, branch }, history)
          this.hasSubset ||= isMember
        } else if (step.does === 'remove subset') {
          if (this.hasSubset) await removeSubset(client, `subset_${this.id}`, history)
          this.hasSubset = false
        } else {
          await removeVocabulary(client, this.id, history)
          this.isThere = this.hasSubset = false
        }
      }
      state.changed()
      service.registry.invalidate()
      await this.note()
    }

    /** @param proposal one that a concept takes over, if the step says so. */
    turtle({ name, concepts, isReversed, proposals }: Extract<Step, { does: 'load' }>, proposal?: string): string {
      const about = ({ label, altLabels, broader, related, note, value, isDeprecated }: SomeConcept) => [
        `skos:prefLabel ${JSON.stringify(label)}@en`,
        ...altLabels.map((label) => `skos:altLabel ${JSON.stringify(label)}@de`),
        ...(broader === null ? [] : [`skos:broader :c${broader}`]),
        ...(related === null ? [] : [`skos:related :c${related}`]),
        ...(note === null ? [] : [`skos:note ${note}`]),
        `dct:extent ${value}`,
        ...(isDeprecated ? ['owl:deprecated true'] : []),
      ]
      const lines = concepts.flatMap((concept, at) =>
        concept ? about(concept).map((fact) => `:c${at} a skos:Concept ; ${fact} .`) : [],
      )
      return [
        '@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> .',
        '@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .',
        `@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <${this.uri}> .`,
        `<${this.uri}> a skos:ConceptScheme ; skos:prefLabel "${name}"@en .`,
        ...(isReversed ? lines.reverse() : lines),
        ...(proposals === 'taken over' && proposal ? [`:taker a skos:Concept ; skos:exactMatch <${proposal}> .`] : []),
      ].join('\n')
    }

    edit({ at, edit }: Extract<Step, { does: 'edit' }>): string {
      const concept = `<${this.concepts[at]!}>`
      if (edit === 'delete') return `DELETE WHERE { GRAPH <${this.uri}> { ${concept} ?p ?o } }`
      if (edit === 'insert')
        return `INSERT DATA { GRAPH <${this.uri}> { ${concept} a <${CONCEPT}> ; <${SKOS}altLabel> "New"@en } }`
      return `DELETE { GRAPH <${this.uri}> { ${concept} <${SKOS}prefLabel> ?label } }
        INSERT { GRAPH <${this.uri}> { ${concept} <${SKOS}prefLabel> "Edited"@en } }
        WHERE { GRAPH <${this.uri}> { ${concept} <${SKOS}prefLabel> ?label } }`
    }

    /** Keeps the state of this moment, and lets time go on. */
    async note(): Promise<void> {
      await service.history!.recordIngests()
      const graphs = new Map<string, Map<string, string[]>>()
      for (const graph of [this.uri, this.subset]) graphs.set(graph, await stored(service.client, graph))
      const views = this.concepts.flatMap((uri, at) => [
        { uri, properties: '*' },
        // One concept is enough to test subsets.
        ...(this.hasSubset && at === 0 ? [{ uri, properties: '*', voc: `subset_${this.id}` }] : []),
      ])
      const records = await Promise.all(
        views.map(async (view) => ({ view, body: (await service.ask('/data', view)).body as unknown })),
      )
      const time = new Date().toISOString()
      this.states.push({ time, graphs, records })
      while (new Date().toISOString() <= time);
    }

    async check(): Promise<void> {
      const history = service.history!
      const present = this.states.at(-1)!
      for (const [graph, resources] of present.graphs) {
        if (await history.log.graph(graph)) expect(await replayed(history, graph)).toEqual(resources)
      }
      for (const { time, graphs, records } of this.states) {
        for (const [graph, resources] of graphs) {
          const all = new Set(this.states.flatMap((state) => [...state.graphs.get(graph)!.keys()]))
          expect(await replayedAt(history, graph, all, time)).toEqual(resources)
        }
        for (const { view, body } of records) {
          // The name of a subset has a meaning only while the subset exists.
          if ('voc' in view && !this.hasSubset) continue
          const then = await service.ask('/data', { ...view, at: time })
          expect([view, then.body]).toEqual([view, body])
        }
      }
    }
  }

  test(
    `${RUNS} sequences`,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: LONG ? 12 : 7 }), async (steps) => {
          const bridges = new Bridges()
          for (const step of steps) await bridges.take(step)
          await bridges.check()
        }),
        { numRuns: RUNS, ...(LONG ? {} : { seed: 20261122 }) },
      )
    },
    60_000 + RUNS * 20_000,
  )
})
