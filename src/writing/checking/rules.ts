import type { MessageLanguage } from '../../base/message-languages.ts'
import { LONGEST_NAME } from '../../graph/jskos/languages.ts'
import type { SourceGraph } from '../source/source-graph.ts'
import { MOST_FOCUS_NODES, type Finding } from './finding.ts'

/** A rule that shapes do not express: `{names}` in its messages stands for what its findings name. */
interface Rule extends Readonly<Record<MessageLanguage, string>> {
  severity: Finding['severity']
}

/**
 * The rules beside the shapes, whose messages are in `shapes/`. docs/checks.md describes both, and compares them with
 * those of qSKOS and Skosify.
 */
export const RULES = {
  'broader-self': {
    severity: 'violation',
    en: 'a concept is broader than itself',
    de: 'ein Begriff ist sein eigener Oberbegriff',
  },
  cycle: {
    severity: 'violation',
    en: 'a concept is in a cycle of broader concepts',
    de: 'ein Begriff gehört zu einem Kreis von Oberbegriffen',
  },
  'has-type': {
    severity: 'violation',
    en: 'a resource has a label and a broader concept but no type',
    de: 'eine Ressource hat eine Bezeichnung und einen Oberbegriff, aber keinen Typ',
  },
  'concept-uri': {
    severity: 'violation',
    en: 'a concept has no URI',
    de: 'ein Begriff hat keine URI',
  },
  'same-notation': {
    severity: 'violation',
    en: 'a concept has the same notation as another concept of its vocabulary',
    de: 'ein Begriff hat dieselbe Notation wie ein anderer seines Vokabulars',
  },
  'skos-term': {
    severity: 'violation',
    en: 'SKOS has no term {names}',
    de: 'diesen Namen gibt es in SKOS nicht: {names}',
  },
  'language-tag': {
    severity: 'violation',
    en: 'a text has an ill-formed language tag, which is cut: {names}',
    de: 'ein Text hat eine falsch gebildete Sprachangabe, die gekürzt wird: {names}',
  },
  iri: {
    severity: 'violation',
    en: 'statements with what is no IRI are left out: {names}',
    de: 'Aussagen mit etwas, das keine IRI ist, bleiben weg: {names}',
  },
  qualified: {
    severity: 'violation',
    en: 'qualified statements without their value are left out: {names}',
    de: 'qualifizierte Aussagen ohne ihren Wert bleiben weg: {names}',
  },
  unreached: {
    severity: 'violation',
    en: 'a concept cannot be reached from a top concept',
    de: 'ein Begriff ist von keinem obersten Begriff aus zu erreichen',
  },
  'scheme-name': {
    severity: 'warning',
    en: 'a vocabulary has no name',
    de: 'ein Vokabular hat keinen Namen',
  },
  placeholder: {
    severity: 'warning',
    en: 'a vocabulary has the URI of the template, which stands for one of its own',
    de: 'ein Vokabular hat die URI der Vorlage, die für eine eigene steht',
  },
  'same-prefLabel': {
    severity: 'warning',
    en: 'a concept has the same prefLabel as another concept of its vocabulary',
    de: 'ein Begriff hat dieselbe Vorzugsbezeichnung (prefLabel) wie ein anderer seines Vokabulars',
  },
  'label-space': {
    severity: 'warning',
    en: 'a label begins or ends with a space, or has two in a row, a tab or a line break',
    de: 'eine Bezeichnung beginnt oder endet mit einem Leerzeichen oder hat zwei hintereinander, einen Tabulator oder einen Zeilenumbruch',
  },
  'label-comma': {
    severity: 'warning',
    en: 'a label ends with a comma or semicolon',
    de: 'eine Bezeichnung endet mit Komma oder Semikolon',
  },
  'label-long': {
    severity: 'warning',
    en: `a label has more than ${LONGEST_NAME} characters; other records show its beginning`,
    de: `eine Bezeichnung hat mehr als ${LONGEST_NAME} Zeichen; andere Datensätze zeigen ihren Anfang`,
  },
  'label-capitals': {
    severity: 'warning',
    en: 'a prefLabel is all in capitals, and hardly an abbreviation',
    de: 'eine Vorzugsbezeichnung (prefLabel) besteht ganz aus Großbuchstaben und ist wohl keine Abkürzung',
  },
  'unknown-language': {
    severity: 'warning',
    en: 'a text or dct:language has a tag that is no language: {names}',
    de: 'ein Text oder dct:language hat eine Sprachangabe, die keine Sprache ist: {names}',
  },
  'missing-language': {
    severity: 'warning',
    en: 'a concept has no prefLabel in a language in which others have one: {names}',
    de: 'ein Begriff hat keine Vorzugsbezeichnung (prefLabel) in einer Sprache, in der andere eine haben: {names}',
  },
  'related-self': {
    severity: 'warning',
    en: 'a concept is related to itself',
    de: 'ein Begriff ist mit sich selbst verwandt',
  },
  'top-with-broader': {
    severity: 'warning',
    en: 'a top concept has a broader concept in its vocabulary',
    de: 'ein oberster Begriff hat einen Oberbegriff in seinem Vokabular',
  },
  'top-of-concept': {
    severity: 'warning',
    en: 'a concept has top concepts, which only a vocabulary has',
    de: 'ein Begriff hat oberste Begriffe, wie sie nur ein Vokabular hat',
  },
  'note-text': {
    severity: 'warning',
    en: 'a note is a resource without a text (rdf:value), so that records leave it out',
    de: 'eine Anmerkung ist eine Ressource ohne Text (rdf:value) und fehlt darum in Datensätzen',
  },
  'no-such-concept': {
    severity: 'warning',
    en: 'a link leads to what is no concept here: {names}',
    de: 'ein Verweis führt zu etwas, das hier kein Begriff ist: {names}',
  },
  'no-concept': {
    severity: 'warning',
    en: 'there is no concept (skos:Concept) here, so that lists are empty',
    de: 'hier gibt es keinen Begriff (skos:Concept), darum bleiben Listen leer',
  },
  'no-scheme': {
    severity: 'warning',
    en: 'a concept is in no concept scheme',
    de: 'ein Begriff gehört zu keinem Vokabular',
  },
  unlisted: {
    severity: 'warning',
    en: 'a resource is in a concept scheme but is neither concept nor collection, so that lists leave it out',
    de: 'eine Ressource gehört zu einem Vokabular, ist aber weder Begriff noch Gruppe und fehlt darum in Listen',
  },
  orphan: {
    severity: 'warning',
    en: 'a concept has nothing broader, narrower or related, and is neither top concept nor member of a collection',
    de: 'ein Begriff hat keinen Ober-, Unter- oder verwandten Begriff und ist weder oberster Begriff noch in einer Gruppe',
  },
  'mapping-within': {
    severity: 'warning',
    en: 'a concept is mapped to a concept of its own vocabulary',
    de: 'ein Begriff hat ein Mapping auf einen Begriff seines eigenen Vokabulars',
  },
  'S46-chain': {
    severity: 'warning',
    en: 'a concept has by a chain of exactMatch the same concept as exactMatch and as broadMatch, narrowMatch or relatedMatch',
    de: 'ein Begriff hat über mehrere exactMatch denselben Begriff als exactMatch und als broadMatch, narrowMatch oder relatedMatch',
  },
} as const satisfies Record<string, Rule>

type RuleName = keyof typeof RULES

/** The resources that break a rule. */
export interface Breach {
  rule: RuleName
  /** Their numbers, or the resources in N-Triples. */
  nodes: Iterable<number | string>
  /** Their number, if `nodes` has only the first. */
  count?: number
  /** The things that the message names. */
  names?: readonly string[]
}

/** A message names at most this many things. */
const MOST_NAMES = 5

/** The number of further things, after a list of the first. */
export const MORE: Readonly<Record<MessageLanguage, (count: number) => string>> = {
  en: (count) => ` and ${count} more`,
  de: (count) => ` und ${count} weitere`,
}

/** The finding about the resources that break a rule; none if there are none. */
export function findingOf(source: SourceGraph, breach: Breach, language: MessageLanguage): Finding[] {
  const { rule, names = [] } = breach
  const focusNodes: string[] = []
  let count = 0
  for (const node of breach.nodes) {
    if (count++ < MOST_FOCUS_NODES) focusNodes.push(typeof node === 'number' ? source.name(node) : node)
  }
  if (count === 0) return []
  const { severity, [language]: text } = RULES[rule]
  const more = names.length > MOST_NAMES ? MORE[language](names.length - MOST_NAMES) : ''
  const message = text.replace('{names}', () => names.slice(0, MOST_NAMES).join(', ') + more)
  return [{ rule, severity, message, count: breach.count ?? count, focusNodes }]
}
