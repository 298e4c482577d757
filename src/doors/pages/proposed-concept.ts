/** The fields of the form `/propose`; the service and the island read them alike. */

/** The names of the fields besides those of names. */
export const PROPOSAL_FIELDS = ['altLabel', 'definition', 'scopeNote', 'identifier'] as const

/** The field of the name in a language. */
export function nameField(language: string): string {
  return `prefLabel-${language}`
}

/**
 * The concept of a form, as POST /ingest takes it. That requires a German name, so a vocabulary without German sends
 * the name in its first language as the German one, too.
 *
 * @param voc the URI of the vocabulary.
 * @param languages of the names; the first is that of all other texts.
 * @param textOf the text of a field; undefined or empty if it has none.
 */
export function proposedConcept(
  voc: string,
  languages: readonly string[],
  textOf: (field: string) => string | null | undefined,
): object {
  const text = (field: string) => (textOf(field) ?? '').replaceAll('\r\n', '\n').trim()
  const [first = 'de'] = languages
  const names = languages.map((language) => [language, text(nameField(language))]).filter(([, name]) => name !== '')
  const prefLabel = Object.fromEntries(names) as Record<string, string>
  if (!languages.includes('de') && prefLabel[first] !== undefined) prefLabel['de'] = prefLabel[first]
  const inFirst = (texts: readonly string[]) => {
    const filled = texts.map((value) => value.trim()).filter((value) => value !== '')
    return filled.length > 0 ? { [first]: filled } : undefined
  }
  const identifier = identifiersIn(text('identifier'))
  return {
    inScheme: [{ uri: voc }],
    prefLabel,
    altLabel: inFirst(text('altLabel').split(';')),
    definition: inFirst([text('definition')]),
    scopeNote: inFirst([text('scopeNote')]),
    identifier: identifier.length > 0 ? identifier : undefined,
  }
}

/** The first text of the field `identifier` that is no URI; undefined if there is none. */
export function wrongIdentifier(text: string): string | undefined {
  return identifiersIn(text).find((identifier) => !/^[a-z][a-z0-9+.-]*:\S+$/i.test(identifier))
}

function identifiersIn(text: string): string[] {
  return text.split(/\s+/).filter((identifier) => identifier !== '')
}
