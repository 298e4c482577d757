/**
 * The interface shows the content of the file, after the rules of normalising: nothing lost, nothing invented. Code
 * independent of the loader computes the expectation from the file.
 */
import { readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { Parser, type Quad } from 'n3'
import { parse } from 'oxigraph'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { dataFiles, NO_DATA, TEST_DATA } from '../../data.ts'
import { storeOf } from '../../stores.ts'
import { removeAll } from './remove-all.ts'

const SKOS = 'http://www.w3.org/2004/02/skos/core#'
const ISOTHES = 'http://purl.org/iso25964/skos-thes#'
const XL = 'http://www.w3.org/2008/05/skos-xl#'
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const OWL = 'http://www.w3.org/2002/07/owl#'
const NOTES = ['note', 'scopeNote', 'definition', 'example', 'historyNote', 'editorialNote', 'changeNote']
const MATCHES = ['exactMatch', 'closeMatch', 'broadMatch', 'narrowMatch', 'relatedMatch']
/** FIDELITY=all compares all files and all of their concepts. */
const ALL = process.env['FIDELITY'] === 'all'
/** Concepts of a file that are compared. */
const SAMPLE = ALL ? Infinity : 40
const AT_ONCE = 100

interface Facts {
  prefLabel: string[]
  altLabel: string[]
  hiddenLabel: string[]
  notes: string[]
  notation: string[]
  broader: string[]
  narrower: string[]
  related: string[]
  mapping: string[]
}

const byCodePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const sorted = (texts: Iterable<string>) => [...new Set(texts)].sort(byCodePoints)

/** The concepts of a file. */
class Source {
  readonly #objects = new Map<string, Quad['object'][]>()
  readonly #subjects = new Map<string, string[]>()
  readonly concepts: string[]
  /** Those that the file describes, else those that it mentions. */
  readonly schemes: string[]

  constructor(quads: Quad[]) {
    const typed = (type: string, quads: Quad[]) =>
      sorted(
        quads
          .filter(({ predicate, object }) => predicate.value === `${RDF}type` && object.value === SKOS + type)
          .filter(({ subject }) => subject.termType === 'NamedNode')
          .map(({ subject }) => subject.value),
      )
    for (const { subject, predicate, object } of quads) {
      add(this.#objects, `${subject.value} ${predicate.value}`, object)
      if (subject.termType === 'NamedNode') add(this.#subjects, `${object.value} ${predicate.value}`, subject.value)
    }
    this.concepts = typed('Concept', quads)
    const mentioned = quads.flatMap(({ subject, predicate, object }) => {
      if ([`${SKOS}inScheme`, `${SKOS}topConceptOf`].includes(predicate.value)) return [object]
      return predicate.value === `${SKOS}hasTopConcept` ? [subject] : []
    })
    const described = typed('ConceptScheme', quads)
    const named = mentioned.filter(({ termType }) => termType === 'NamedNode').map(({ value }) => value)
    this.schemes = described.length > 0 ? described : sorted(named)
  }

  facts(concept: string): Facts {
    const alt = this.#labels(concept, 'altLabel')
    const pref = new Map<string, string>()
    for (const label of this.#labels(concept, 'prefLabel')) {
      const tag = label.slice(0, label.indexOf(' '))
      if (pref.has(tag)) alt.push(label)
      else pref.set(tag, label)
    }
    const preferred = new Set(pref.values())
    return {
      prefLabel: sorted(preferred),
      altLabel: sorted(alt).filter((label) => !preferred.has(label)),
      hiddenLabel: this.#labels(concept, 'hiddenLabel'),
      notes: sorted(NOTES.flatMap((name) => this.#notes(concept, name).map((note) => `${name} ${note}`))),
      notation: sorted(
        this.#of(concept, `${SKOS}notation`)
          .map(({ value }) => value)
          .filter(Boolean),
      ),
      broader: this.#links(concept, 'broader', 'narrower'),
      narrower: this.#links(concept, 'narrower', 'broader'),
      related: this.#links(concept, 'related'),
      mapping: sorted(
        MATCHES.flatMap((name) => this.#of(concept, SKOS + name).map(({ value }) => `${SKOS}${name} ${value}`)),
      ),
    }
  }

  /** The concepts in a scheme, those without any in the one that names the graph. */
  conceptsIn(scheme: string): string[] {
    return this.concepts.filter((concept) => this.#schemesOf(concept, scheme).has(scheme))
  }

  /** The top concepts of a scheme: those that the file says, and those without a broader concept in it. */
  topConceptsOf(scheme: string): string[] {
    const concepts = this.conceptsIn(scheme)
    const members = new Set(concepts)
    const isStated = (concept: string) =>
      this.#of(concept, `${SKOS}topConceptOf`).some(({ value }) => value === scheme) ||
      this.#of(scheme, `${SKOS}hasTopConcept`).some(({ value }) => value === concept)
    return concepts.filter((concept) => {
      if (isStated(concept)) return true
      if (this.#links(concept, 'broader', 'narrower').some((other) => members.has(other))) return false
      const isDeprecated = this.#of(concept, `${OWL}deprecated`).some(({ value }) => ['true', '1'].includes(value))
      return !isDeprecated || this.#links(concept, 'narrower', 'broader').some((other) => this.concepts.includes(other))
    })
  }

  #schemesOf(concept: string, scheme: string): Set<string> {
    const named = (name: string) =>
      this.#of(concept, SKOS + name)
        .filter(({ termType }) => termType === 'NamedNode')
        .map(({ value }) => value)
    const above = [...named('topConceptOf'), ...(this.#subjects.get(`${concept} ${SKOS}hasTopConcept`) ?? [])]
    const schemes = new Set([...named('inScheme'), ...above.filter((uri) => uri === scheme || !this.#isConcept(uri))])
    return schemes.size === 0 ? schemes.add(scheme) : schemes
  }

  /** True for a concept that is no scheme; it may have the top concepts of a branch. */
  #isConcept(uri: string): boolean {
    const types = this.#of(uri, `${RDF}type`).map(({ value }) => value)
    return types.includes(`${SKOS}Concept`) && !types.includes(`${SKOS}ConceptScheme`)
  }

  #of(subject: string, predicate: string): Quad['object'][] {
    return this.#objects.get(`${subject} ${predicate}`) ?? []
  }

  #labels(concept: string, name: string): string[] {
    const extended = this.#of(concept, XL + name).flatMap((label) => this.#of(label.value, `${XL}literalForm`))
    return sorted(
      [...this.#of(concept, SKOS + name), ...extended].flatMap(textOf).filter((text) => !/^\S+ \s*$/.test(text)),
    )
  }

  #notes(concept: string, name: string): string[] {
    const notes = this.#of(concept, SKOS + name)
    const structured = notes.filter(({ termType }) => termType !== 'Literal')
    return [...notes, ...structured.flatMap(({ value }) => this.#of(value, `${RDF}value`))]
      .flatMap(textOf)
      .filter((text) => !/^\S+ $/.test(text))
  }

  #links(concept: string, name: string, inverse?: string): string[] {
    const asserted = withKinds(name)
      .flatMap((property) => this.#of(concept, property))
      .filter(({ termType }) => termType === 'NamedNode')
    const inferred = withKinds(inverse).flatMap((property) => this.#subjects.get(`${concept} ${property}`) ?? [])
    return sorted([...asserted.map(({ value }) => value), ...inferred]).filter((other) => other !== concept)
  }
}

/** A property of SKOS, and its kinds of ISO 25964. */
function withKinds(name: string | undefined): string[] {
  if (name === undefined) return []
  return [SKOS + name, ...['Generic', 'Partitive', 'Instantial'].map((kind) => `${ISOTHES}${name}${kind}`)]
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key)
  if (values) values.push(value)
  else map.set(key, [value])
}

/** `language text`, as the rules of normalising have it; a text with a datatype is in no language either. */
function textOf(term: Quad['object']): string[] {
  if (term.termType !== 'Literal') return []
  return [`${term.language.toLowerCase() || 'und'} ${term.value.normalize('NFC')}`]
}

type LanguageMap = Record<string, string | string[]> | undefined
type Link = { uri: string }
type Answered = { uri: string } & Record<string, unknown>

function factsOf(record: Answered): Facts {
  const texts = (name: string) =>
    sorted(
      Object.entries((record[name] as LanguageMap) ?? {}).flatMap(([tag, texts]) =>
        [texts].flat().map((text) => `${tag} ${text}`),
      ),
    )
  const links = (name: string) => sorted(((record[name] as Link[] | undefined) ?? []).map(({ uri }) => uri))
  const mapping = (record['mapping'] as { type: string; to: string }[] | undefined) ?? []
  return {
    prefLabel: texts('prefLabel'),
    altLabel: texts('altLabel'),
    hiddenLabel: texts('hiddenLabel'),
    notes: sorted(NOTES.flatMap((name) => texts(name).map((text) => `${name} ${text}`))),
    notation: sorted((record['notation'] as string[] | undefined) ?? []),
    broader: links('broader'),
    narrower: links('narrower'),
    related: links('related'),
    mapping: sorted(mapping.map(({ type, to }) => `${type} ${to}`)),
  }
}

/** The content of a file, or the reason of its refusal. */
function read(file: string): Source | string {
  const text = readFileSync(file, 'utf8')
  if (text.trim() === '') return 'the file is empty'
  try {
    const quads = file.endsWith('.rdf')
      ? (parse(text, { format: 'application/rdf+xml', base_iri: 'http://example.org/base' }) as unknown as Quad[])
      : new Parser().parse(text)
    return new Source(quads)
  } catch {
    return 'line '
  }
}

/** Of the files as they are found those that differ most from one another, without the largest. */
function isChosen(file: string): boolean {
  return /(skosmos|SESAR|bgs|iccd|hbz|resource-permits|geoqks|Geol)[^/]*$/.test(file) && statSync(file).size < 400_000
}

/** Spread over the whole list. */
function sample<T>(list: T[]): T[] {
  if (list.length <= SAMPLE) return list
  return list.filter(
    (_, at) => Math.floor((at * SAMPLE) / list.length) !== Math.floor(((at - 1) * SAMPLE) / list.length),
  )
}

if (NO_DATA) {
  test.skip(`fidelity${NO_DATA}`, () => undefined)
} else {
  describe('the interface shows the content of the file', () => {
    let running: { endpoint: RunningApp['client']['endpoint']; stop(): Promise<void> }
    let app: RunningApp

    beforeAll(async () => {
      running = await storeOf('embedded').start()
      app = await startApp(running.endpoint, { MAX_LIMIT: '50000' })
    })
    afterEach(() => removeAll(app.client))
    afterAll(async () => {
      await app.close()
      await running.stop()
    })

    const files = [
      ...dataFiles('edge'),
      ...dataFiles('vocab'),
      ...dataFiles('wild').filter((file) => ALL || isChosen(file)),
    ]
    test.each(files.map((file) => [relative(TEST_DATA, file), file]))(
      '%s',
      async (name, file) => {
        const source = read(file)
        if (typeof source === 'string') {
          await expect(loadVocabulary(app.client, [file])).rejects.toThrow(source)
          return
        }
        const { schemes } = source
        if (schemes.length !== 1) await expect(loadVocabulary(app.client, [file])).rejects.toThrow('--scheme')
        const scheme = schemes.length === 1 ? undefined : (schemes[0] ?? 'http://example.org/scheme-of-the-test')
        const report = await loadVocabulary(app.client, [file], { scheme, ids: ['fidelity'], check: false })
        app.registry.invalidate()
        app.state.changed()
        expect(report.concepts).toBe(source.concepts.length)

        const listed = await app.ask('/voc/concepts', { uri: report.uri, properties: '-' })
        const uris = (answer: { body: Answered[] }) => sorted(answer.body.map(({ uri }) => uri))
        expect(uris(listed)).toEqual(source.conceptsIn(report.uri))
        expect(uris(await app.ask('/voc/fidelity/top', { properties: '-' }))).toEqual(source.topConceptsOf(report.uri))
        const counted = await app.ask('/search', { voc: 'fidelity', limit: '0' })
        expect(counted.headers.get('x-total-count')).toBe(String(source.conceptsIn(report.uri).length))

        const chosen = sample(source.concepts)
        for (let at = 0; at < chosen.length; at += AT_ONCE) {
          const piece = chosen.slice(at, at + AT_ONCE)
          const body = new URLSearchParams({ uri: piece.join('|'), properties: '*' })
          const answer = await app.get('/data', { method: 'POST', body })
          expect(answer.status).toBe(200)
          const records = new Map((answer.body as Answered[]).map((record) => [record.uri, record]))
          expect(sorted(records.keys())).toEqual(sorted(piece))
          for (const concept of piece) {
            expect({ concept, ...factsOf(records.get(concept)!) }).toEqual({ concept, ...source.facts(concept) })
          }
        }
      },
      ALL ? 900_000 : 180_000,
    )
  })
}
