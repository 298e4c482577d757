import type { PickerStrings } from './types.d.ts'

const en: PickerStrings = {
  concept: 'Concept',
  browse: 'Browse the tree',
  suggestions: 'Suggestions',
  chosen: 'Chosen',
  removed: 'Removed',
  remove: 'Remove',
  nothing: 'Nothing found',
  searching: 'Searching …',
  offline: 'There is no connection.',
  away: 'The vocabulary does not answer.',
  refused: 'The vocabulary cannot be read.',
  retry: 'Try again',
  more: 'Show more',
  required: 'Please choose a concept.',
  unsettled: 'Please choose from the list, or delete the text.',
}

const de: PickerStrings = {
  concept: 'Begriff',
  browse: 'Im Baum blättern',
  suggestions: 'Vorschläge',
  chosen: 'Gewählt',
  removed: 'Entfernt',
  remove: 'Entfernen',
  nothing: 'Nichts gefunden',
  searching: 'Sucht …',
  offline: 'Es gibt keine Verbindung.',
  away: 'Das Vokabular antwortet nicht.',
  refused: 'Das Vokabular ist nicht lesbar.',
  retry: 'Noch einmal versuchen',
  more: 'Weitere zeigen',
  required: 'Bitte einen Begriff wählen.',
  unsettled: 'Bitte aus der Liste wählen oder den Text löschen.',
}

/** The texts for a language tag; English if there are none. */
export function stringsFor(language: string): PickerStrings {
  return /^de\b/i.test(language) ? de : en
}
