import type { MessageLanguage } from '../../base/message-languages.ts'
import type { NormalisingChange } from '../../writing/loading/normalise.ts'

/** The words of a report on files in English. A colon and a number follow `kept`, `takenOver`, `dropped` and `lost`. */
const EN = {
  violation: 'violation',
  warning: 'warning',
  times: (count: number) => (count === 1 ? 'once' : `${count} times`),
  checked: (concepts: number) => `${concepts} concepts checked`,
  nothingToReport: 'nothing to report',
  needsScheme: 'the files have no concept scheme or several; load needs --scheme URI',
  kindsOfViolations: (count: number, first: string) => `${count} kinds of violations; first: ${first}`,
  loaded: 'loaded',
  replaced: 'replaced',
  wouldLoad: 'would load',
  wouldReplace: 'would replace',
  wrote: 'wrote',
  /** Between the URI of a vocabulary, its ids and the folder of its graph. */
  as: 'as',
  into: 'into',
  concepts: (count: number) => `${count} concepts`,
  triples: (count: number) => `${count} triples`,
  nothingToDo: (vocabulary: string) => `nothing to do: ${vocabulary} is as these files left it`,
  notInStore: 'It is not in the store yet',
  differences: (created: number, changed: number, deprecated: number, gone: number) =>
    `${created} created, ${changed} changed, ${deprecated} deprecated, ${gone} gone`,
  kept: 'kept',
  takenOver: 'taken over by concepts of the files',
  dropped: 'dropped',
  lost: 'lost',
  proposals: (count: number) => `${count} ${count === 1 ? 'proposal' : 'proposals'}`,
  topConcepts: (count: number) => `${count} top concepts`,
  mappings: (count: number) => `${count} mappings`,
  haveVanished: (count: number) => `${count} URIs have vanished, which breaks links to them`,
  willVanish: (count: number) => `${count} URIs will vanish, which breaks links to them`,
  subset: (ids: string, members: number) => `subset ${ids}: ${members} members`,
  dangling: (count: number, property: string) =>
    `${count} ${property} to resources that are not concepts of the vocabulary`,
  changed: 'changed',
  nothing: 'nothing',
  change: (change: NormalisingChange): string => change,
}

/** The words of the reports of `load` and `check` by language. */
export const REPORT_WORDS: Readonly<Record<MessageLanguage, typeof EN>> = {
  en: EN,
  de: {
    violation: 'Verstoß',
    warning: 'Warnung',
    times: (count) => `${count}-mal`,
    checked: (concepts) => `${concepts} Begriffe geprüft`,
    nothingToReport: 'nichts zu melden',
    needsScheme: 'die Dateien haben kein Begriffssystem (ConceptScheme) oder mehrere; load braucht --scheme URI',
    kindsOfViolations: (count, first) => `${count} Arten von Verstößen; die erste: ${first}`,
    loaded: 'geladen:',
    replaced: 'ersetzt:',
    wouldLoad: 'würde laden:',
    wouldReplace: 'würde ersetzen:',
    wrote: 'geschrieben:',
    as: 'als',
    into: 'in',
    concepts: (count) => `${count} Begriffe`,
    triples: (count) => `${count} Tripel`,
    nothingToDo: (vocabulary) => `nichts zu tun: ${vocabulary} ist so, wie diese Dateien es hinterlassen haben`,
    notInStore: 'Es ist noch nicht im Store',
    differences: (created, changed, deprecated, gone) =>
      `${created} neu, ${changed} geändert, ${deprecated} außer Gebrauch, ${gone} verschwunden`,
    kept: 'behalten',
    takenOver: 'von Begriffen der Dateien übernommen',
    dropped: 'entfernt',
    lost: 'verloren',
    proposals: (count) => `${count} ${count === 1 ? 'Vorschlag' : 'Vorschläge'}`,
    topConcepts: (count) => `${count} oberste Begriffe`,
    mappings: (count) => `${count} Mappings`,
    haveVanished: (count) => `${count} URIs sind verschwunden, Links auf sie führen ins Leere`,
    willVanish: (count) => `${count} URIs werden verschwinden, Links auf sie führen dann ins Leere`,
    subset: (ids, members) => `Ausschnitt ${ids}: ${members} Mitglieder`,
    dangling: (count, property) => `${count} ${property} zu Ressourcen, die keine Begriffe des Vokabulars sind`,
    changed: 'geändert',
    nothing: 'nichts',
    change: germanChange,
  },
}

/** The changes of loading that are not about one property or field. */
type NamedChange = Exclude<NormalisingChange, `${string} added` | `JSKOS field ${string} dropped`>

const GERMAN_CHANGES: Readonly<Record<NamedChange, string>> = {
  'untagged text marked und': 'Text ohne Sprachangabe mit und gekennzeichnet',
  'language tag in lower case': 'Sprachangabe in Kleinbuchstaben',
  'ill-formed language tag cut': 'falsch gebildete Sprachangabe gekürzt',
  'text in NFC': 'Text in NFC',
  'empty label dropped': 'leere Bezeichnung weggelassen',
  'number as notation made text': 'Zahl als Notation zu Text gemacht',
  'owl:deprecated made a boolean': 'owl:deprecated zu einem Wahrheitswert gemacht',
  'dot segments removed from an IRI': 'Punktsegmente aus einer IRI entfernt',
  'statement with a wrong IRI left out': 'Aussage mit einer falschen IRI weggelassen',
  'qualified statement without its value left out': 'qualifizierte Aussage ohne ihren Wert weggelassen',
  'concept of another vocabulary that is only mapped to left out':
    'Begriff eines anderen Vokabulars weggelassen, der nur Ziel eines Mappings ist',
  'URI of a concept made from its notation': 'URI eines Begriffs aus seiner Notation gebildet',
  'URI of a concept made from its id': 'URI eines Begriffs aus seiner Kennung gebildet',
  'URI of a concept made from its label': 'URI eines Begriffs aus seiner Bezeichnung gebildet',
  'SKOS-XL label also as plain label': 'Bezeichnung in SKOS-XL auch als einfache Bezeichnung',
  'further prefLabel of a language made altLabel': 'weiteres prefLabel einer Sprache zu altLabel gemacht',
  'altLabel equal to the prefLabel dropped': 'altLabel weggelassen, das dem prefLabel gleicht',
  'language of the scheme from the labels': 'Sprache des Vokabulars aus den Bezeichnungen',
  'namespace of the scheme found': 'Namensraum des Vokabulars gefunden',
  'name of the scheme from its title': 'Name des Vokabulars aus seinem Titel',
  'name of a publisher, creator or licence from its title':
    'Name von Herausgeber, Urheber oder Lizenz aus Titel oder Namen',
  'vocabulary of a subset named by its own URI': 'Vokabular eines Ausschnitts mit seiner eigenen URI benannt',
}

function germanChange(change: NormalisingChange): string {
  if (change in GERMAN_CHANGES) return GERMAN_CHANGES[change as NamedChange]
  return change.replace(/^JSKOS field (.*) dropped$/, 'JSKOS-Feld $1 weggelassen').replace(/ added$/, ' ergänzt')
}
