import { FIELDS, isStructured, type Field } from '../jskos/fields.ts'
import {
  ADMS,
  DC,
  DCAT,
  DCT,
  FOAF,
  OWL,
  PREFIXES,
  PROV,
  RDFS,
  SCHEMA,
  SCHEMA_HTTPS,
  SKOS,
  VANN,
  XKOS,
} from '../../base/namespaces.ts'

/** The prefixes that headings and cells may use without declaring them. */
export const KNOWN_PREFIXES: Readonly<Record<string, string>> = {
  ...PREFIXES,
  dcterms: DCT,
  dc: DC,
  dc11: DC,
  foaf: FOAF,
  schema: SCHEMA,
  sdo: SCHEMA_HTTPS,
  xkos: XKOS,
  adms: ADMS,
  prov: PROV,
}

/** Columns that are no property of a concept. */
export type OwnColumn = 'uri' | 'id' | 'language' | 'notation datatype' | 'statements' | 'level' | 'collection uri'

/**
 * THE table of the words in headings (docs/tables.md): fields by their names, other properties by their IRIs, and
 * columns of tables. Case, spaces, signs and a plural s do not count. Every field also has its own name and the name
 * of its property.
 */
// oxfmt-ignore
export const WORDS: readonly (readonly [meaning: string, words: string])[] = [
  ['uri', 'uri, iri, url of the concept, concept uri, concept iri, vocabulary iri, vocabulary uri, conceptscheme uri, subject, pid, permalink, begriffs-uri, uri des begriffs'],
  ['collection uri', 'collection uri, collection iri'],
  ['id', 'id, concept id, row id, nr, nummer, number, no, key, schlüssel, lfd nr, laufende nummer, begriffs-id'],
  ['notation', 'code, class number, call number, classification, notationen, systemstelle, kennung, signatur, kode'],
  ['prefLabel', 'preferred label, preferred term, preferred name, label, name, names, term, concept, title, heading, descriptor, main term, keyword, bezeichnung, benennung, begriff, vorzugsbezeichnung, bevorzugte bezeichnung, vorzugsbenennung, hauptbezeichnung, deskriptor, schlagwort, titel, rdfs:label, dct:title, dc:title'],
  ['altLabel', 'alternate label, alternative label, alternative term, alternative name, alt term, synonym, synonyme, other name, also known as, used for, use for, uf, non-preferred term, variant, entry term, alternativbezeichnung, alternative bezeichnung, alternative bezeichnungen, weitere bezeichnung, weitere bezeichnungen, alternativbenennung, nebenbezeichnung, nichtdeskriptor, variante, varianten, verweisungsform, benutzt für'],
  ['hiddenLabel', 'hidden label, search term, misspelling, versteckte bezeichnung, suchbegriff, suchbegriffe, schreibfehler'],
  ['definition', 'definitionen, description, meaning, explanation, beschreibung, bedeutung, erklärung, begriffsbestimmung, dct:description, dc:description'],
  ['scopeNote', 'scope note, scope, usage note, usage, sn, anwendungshinweis, verwendungshinweis, benutzungshinweis, hinweis, hinweise, erläuterung, erläuterungen'],
  ['note', 'comment, remark, notes, notiz, notizen, anmerkung, anmerkungen, bemerkung, bemerkungen, kommentar, kommentare, rdfs:comment'],
  ['example', 'examples, beispiel, beispiele'],
  ['historyNote', 'history note, history, historische anmerkung, geschichte'],
  ['editorialNote', 'editorial note, redaktionelle anmerkung, redaktionsnotiz'],
  ['changeNote', 'change note, change, änderungsnotiz, änderung'],
  ['created', 'created date, date created, creation date, created on, erstellt, erstellt am, erstelldatum, erstellungsdatum, angelegt am, anlagedatum'],
  ['issued', 'issue date, date issued, published, publication date, veröffentlicht, veröffentlicht am, erscheinungsdatum'],
  ['modified', 'modified date, date modified, last modified, last change, updated, changed, geändert, geändert am, änderungsdatum, letzte änderung'],
  ['publisher', 'herausgeber, herausgegeben von'],
  ['license', 'licence, rights, lizenz, nutzungsbedingungen'],
  ['creator', 'author, created by, urheber, autor, verfasser, erstellt von'],
  ['contributor', 'editor, mitwirkende, bearbeiter'],
  ['source', 'sources, reference, quelle, quellen, herkunft, beleg'],
  ['subject', 'dct:subject, keywords, thema, themen'],
  ['url', 'web page, website, homepage, webseite, internetseite'],
  ['version', 'version number, versionsnummer, fassung'],
  ['depiction', 'image, image url, picture, bild, abbildung'],
  ['replacedBy', 'replaced by, use instead, ersetzt durch'],
  ['inScheme', 'in scheme, scheme, concept scheme, vocabulary, vokabular, schema'],
  ['topConceptOf', 'top concept of'],
  ['broader', 'broader term, broader concept, broader concept iri, broader label, additional broader concept iri, bt, parent, parent concept, parent term, parent label, superordinate, is a, subclass of, oberbegriff, oberbegriffe, überbegriff, übergeordnet, übergeordneter begriff, übergeordnete begriffe, elternbegriff'],
  ['narrower', 'narrower term, narrower concept, narrower concept iri, nt, child, children, child concept, children uri, unterbegriff, unterbegriffe, untergeordnet, untergeordneter begriff, untergeordnete begriffe'],
  ['related', 'related term, related concept, rt, see also, verwandt, verwandte, verwandter begriff, verwandte begriffe, siehe auch, assoziation'],
  ['deprecated', 'obsolete, veraltet, ungültig, abgekündigt'],
  ['exactMatch', 'exact match, exact matches, same as, genaue entsprechung, exakte entsprechung, owl:sameAs'],
  ['closeMatch', 'close match, close matches, similar, ähnliche entsprechung, enge entsprechung'],
  ['broadMatch', 'broad match, broader match, broader matches, übergeordnete entsprechung'],
  ['narrowMatch', 'narrow match, narrower match, narrower matches, untergeordnete entsprechung'],
  ['relatedMatch', 'related match, related matches, verwandte entsprechung'],
  ['languages', 'sprachen'],
  ['identifier', 'identifikator'],
  ['type', 'class, klasse, typ, art'],
  [`${SKOS}member`, 'member, members iris, mitglied, mitglieder'],
  ['memberOf', 'member of, member of collection, in collection, parent collection, parent collection iris, in sammlung, mitglied von'],
  [`${VANN}preferredNamespacePrefix`, 'prefix, preferred prefix, präfix'],
  [`${RDFS}isDefinedBy`, 'source vocab uri, home vocab iri, defining vocab iri'],
  [`${DCT}provenance`, 'provenance'],
  [`${SCHEMA_HTTPS}citation`, 'citation'],
  [`${OWL}versionIRI`, 'version iri'],
  [`${DCAT}contactPoint`, 'custodian, contact point, ansprechpartner, kontakt'],
  [`${RDFS}seeAlso`, 'catalogue pid'],
  [`${PROV}wasDerivedFrom`, 'derived from'],
  ['language', 'language, language code, lang, lang code, sprache, sprachcode'],
  ['notation datatype', 'notation type, notation datatype'],
  ['statements', 'statements, n-triples'],
]

/** The words between a heading and what a cell of the column has, which do not change its meaning. */
const CLOSING = /(iri|uri|id|notation|label|concept|term)$/

/** A heading by which words are compared: letters and digits alone, in lower case. */
export function comparisonKey(heading: string): string {
  return heading
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** True for a field whose values a cell can have: texts and URIs. */
export function hasColumn(field: Field): boolean {
  return !isStructured(field) && field.kind !== 'jsons'
}

/** A column with this heading has the classes of the concepts. */
const OF_CONCEPTS = 'types'

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ...WORDS.flatMap(([meaning, words]) =>
    words.split(', ').map((word): [string, string] => [comparisonKey(word), meaning]),
  ),
  ...FIELDS.filter((field) => hasColumn(field) && field.name !== OF_CONCEPTS).map(({ name }): [string, string] => [
    comparisonKey(name),
    name,
  ]),
  [comparisonKey('uri'), 'uri'],
])

/** The meanings of links, whose headings may also name the kind of their cells. */
const LINKS = [
  'broader',
  'narrower',
  'related',
  'exactMatch',
  'closeMatch',
  'broadMatch',
  'narrowMatch',
  'relatedMatch',
]
const LEVEL =
  /^(?:level|ebene|stufe|hierarchieebene|hierarchylevel|hierarchiestufe|l)0*(\d{1,2})(?:label|name|bezeichnung)?$|^0*(\d{1,2})(?:level|ebene|stufe)$/

/**
 * The meaning of a heading without its language: a field, an IRI of a property or a column of tables; undefined if it
 * has none.
 */
export function meaningOf(heading: string): { meaning: string; level?: number } | undefined {
  const key = comparisonKey(heading)
  const level = LEVEL.exec(key)
  if (level) return { meaning: 'level', level: Number(level[1] ?? level[2]) }
  for (const candidate of [key, key.replace(/s$/, ''), key.replace(/(?<!\d)\d+$/, '')]) {
    const meaning = MEANINGS.get(candidate)
    if (meaning !== undefined) return { meaning }
  }
  const link = MEANINGS.get(key.replace(/s$/, '').replace(CLOSING, '').replace(/s$/, ''))
  return link !== undefined && LINKS.includes(link) ? { meaning: link } : undefined
}

let languages: ReadonlyMap<string, string> | undefined

/** The languages of the world by their names in English, in German and in themselves, and by their tags. */
function languagesByName(): ReadonlyMap<string, string> {
  const nameIn = (language: string) => {
    const names = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' })
    return (tag: string) => names.of(tag)?.toLowerCase()
  }
  const [english, german] = [nameIn('en'), nameIn('de')]
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const tags = letters.flatMap((first) => letters.map((second) => first + second)).filter((tag) => english(tag))
  return new Map(
    tags.flatMap((tag) =>
      [tag, english(tag), german(tag), nameIn(tag)(tag)].flatMap((name): [string, string][] =>
        name === undefined ? [] : [[name, tag]],
      ),
    ),
  )
}

/** The tag of a language that a heading names: `de`, `German` and `Deutsch`; undefined if it is none. */
export function languageNamed(name: string): string | undefined {
  languages ??= languagesByName()
  return languages.get(name.trim().toLowerCase())
}
