/**
 * German for the messages about JSKOS from jskos-validate, from its engine (ajv) and from this service. `$1` and `$2`
 * stand for the values in a message.
 */
const GERMAN: readonly (readonly [message: RegExp, german: string])[] = [
  [/^missing field '(.*)'$/s, 'das Feld „$1“ fehlt'],
  [/^disallowed field '(.*)'$/s, 'das Feld „$1“ ist hier nicht erlaubt'],
  [/^expected value '(.*)'$/s, 'erwartet wird der Wert „$1“'],
  [/^expected value of type (.*)$/s, 'erwartet wird ein Wert vom Typ $1'],
  [/^value must have format (.*)$/s, 'der Wert muss das Format $1 haben'],
  [/^value must match pattern '(.*)'$/s, 'der Wert muss zu dem Muster „$1“ passen'],
  [/^violation of schema rule '(.*)'$/s, 'Verstoß gegen die Regel „$1“ des Schemas'],
  [/^must NOT have (?:additional|unevaluated) properties$/, 'weitere Felder sind hier nicht erlaubt'],
  [/^must NOT have unevaluated items$/, 'weitere Werte sind hier nicht erlaubt'],
  [/^must NOT have duplicate items \(items ## (\d+) and (\d+) are identical\)$/, 'die Werte $1 und $2 sind gleich'],
  [
    /^must NOT have fewer than (\d+) (?:items|characters|properties)$/,
    'erwartet werden mindestens $1 Einträge oder Zeichen',
  ],
  [
    /^must NOT have more than (\d+) (?:items|characters|properties)$/,
    'erlaubt sind höchstens $1 Einträge oder Zeichen',
  ],
  [/^must contain at least (\d+) valid item\(s\)$/, 'erwartet werden mindestens $1 gültige Einträge'],
  [/^must be equal to one of the allowed values$/, 'der Wert ist keiner der erlaubten'],
  [/^must be (>=|<=|>|<) (\S+)$/, 'der Wert muss $1 $2 sein'],
  [/^must match "(\w+)" schema$/, 'der Wert erfüllt die Bedingung „$1“ des Schemas nicht'],
  [/^(?:must NOT be valid|boolean schema is false)$/, 'der Wert ist hier nicht erlaubt'],
  [/^property name must be valid$/, 'der Name eines Feldes ist hier nicht erlaubt'],
  [/^concept must have inScheme$/, 'ein Begriff braucht inScheme'],
  [/^concept must be inScheme a known vocabulary$/, 'inScheme nennt kein Vokabular dieses Dienstes'],
  [/^concept URI (.*) does not match namespace (.*)$/s, 'die URI $1 des Begriffs beginnt nicht mit dem Namensraum $2'],
  [/^concept URI (.*) does not match (.*)$/s, 'die URI $1 des Begriffs passt nicht zu $2'],
  [/^concept notation (.*) does not match (.*)$/s, 'die Notation $1 des Begriffs passt nicht zu $2'],
  [
    /^First type of a mapping must be SKOS mapping property, got: (.*)$/s,
    'der erste Typ eines Mappings muss eine Mapping-Eigenschaft von SKOS sein statt $1',
  ],
  [/^Found additional SKOS mapping property: (.*)$/s, 'eine weitere Mapping-Eigenschaft von SKOS: $1'],
  [
    /^mapping type must be a SKOS mapping property$/,
    'der Typ eines Mappings muss eine Mapping-Eigenschaft von SKOS sein',
  ],
  [/^missing object type URI (.*)$/s, 'die URI der Art fehlt: $1'],
  [/^\w+ type must be "(.*)", got (.*)$/s, 'der erste Typ muss „$1“ sein statt $2'],
  [/^the record does not have the structure of JSKOS$/, 'der Datensatz ist nicht wie JSKOS aufgebaut'],
]

/** A message about JSKOS in German; one without a German form follows a German sentence. */
export function inGerman(message: string): string {
  const entry = GERMAN.find(([form]) => form.test(message))
  return entry ? message.replace(...entry) : `der Wert ist kein richtiges JSKOS (${message})`
}
