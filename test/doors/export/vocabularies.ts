/** The vocabularies of the tests of downloads. */
import { DCT, RDF, SKOS } from '../../../src/base/namespaces.ts'

export const V = 'http://example.org/v/'
export const OURS = 'urn:x-vocabulary-service:'

/** Statements for users of SPARQL: JSKOS lacks many of them. */
export const TURTLE = `
@prefix skos: <${SKOS}> . @prefix dct: <${DCT}> . @prefix ex: <http://example.org/terms#> . @prefix v: <${V}> .
@prefix adms: <http://www.w3.org/ns/adms#> .
<${V}> a skos:ConceptScheme ; skos:prefLabel "Vocabulary"@en ; dct:publisher [ skos:prefLabel "A publisher"@en ] ; skos:hasTopConcept v:a .
v:a a skos:Concept ; skos:prefLabel "A"@en ; skos:example "an example"@en ; skos:narrower v:b ; skos:related v:c ; ex:size 3 ;
  skos:note [ <${RDF}value> "structured"@en ; dct:creator [ ex:name "Ann" ; ex:knows ( "Bob" [ ex:name "Cid" ; ex:at [ ex:place [ ex:in "Rome" ] ] ] ) ] ] .
v:b a skos:Concept ; skos:prefLabel "B"@en ; skos:exactMatch <http://example.org/other/b> ;
  skos:scopeNote "see <a> <${OURS}position>"@en .
v:c a skos:Concept ; skos:prefLabel "C"@en ; adms:status <http://purl.org/adms/status/UnderDevelopment> .
v:group a skos:Collection ; skos:prefLabel "Group"@en ; skos:member v:a, v:c .
`
/** More than fits into one piece, by few concepts with long labels. */
export const LARGE = 'http://example.org/large/'
export const CONCEPTS = 1500
const LONG_LABEL = 'label '.repeat(150)
export const large = [
  `<${LARGE}> a <${SKOS}ConceptScheme> ; <${SKOS}notation> "large" .`,
  ...Array.from(
    { length: CONCEPTS },
    (_, at) =>
      `<${LARGE}${at}> a <${SKOS}Concept> ; <${SKOS}inScheme> <${LARGE}> ; <${SKOS}prefLabel> "${LONG_LABEL}${at}"@en .`,
  ),
].join('\n')
