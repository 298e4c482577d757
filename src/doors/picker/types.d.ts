/** A concept as the picker keeps it: the fields of JSKOS that forms need. */
export interface PickedConcept {
  uri: string
  /** Language tags to labels; absent as long as the picker knows the URI alone. */
  prefLabel?: Record<string, string>
  notation?: string[]
  /** Its vocabularies. */
  inScheme?: { uri: string; prefLabel?: Record<string, string>; notation?: string[] }[]
}

/** The texts of a picker. Names and numbers follow after a colon. */
export interface PickerStrings {
  /** The name of the field if nothing else names it. */
  concept: string
  browse: string
  suggestions: string
  chosen: string
  removed: string
  remove: string
  nothing: string
  searching: string
  /** There is no network. */
  offline: string
  /** The service is down or too slow. */
  away: string
  /** The service refuses the question, for instance for an unknown vocabulary. */
  refused: string
  retry: string
  more: string
  /** Why an empty field is invalid. */
  required: string
  /** Why a field with the text of an unfinished search is invalid. */
  unsettled: string
}

/** `input` and `change` of a picker: the user has chosen or removed a concept. */
export type PickerEvent = CustomEvent<{ concepts: readonly PickedConcept[] }>

/**
 * `<vocabulary-picker>`: a field of a form for concepts of a vocabulary (docs/forms.md). Every attribute has a property
 * of its name, in camel case.
 */
export class VocabularyPicker extends HTMLElement {
  static readonly formAssociated: true
  /** The version of the package that it comes from. */
  static readonly version: string

  /** The chosen concepts, with their labels. */
  get concepts(): readonly PickedConcept[]
  set concepts(concepts: readonly PickedConcept[])
  /** The URIs of the chosen concepts, separated by `|`. The picker asks for labels that it does not know. */
  get value(): string
  set value(value: string)
  /** Texts that replace its own, in any language; absent ones stay as they are. */
  get strings(): Partial<PickerStrings>
  set strings(strings: Partial<PickerStrings>)

  /** The address of the Vocabulary Service; by default the place that the script comes from. */
  service: string
  /** The id or URI of the vocabulary, or several, separated by `|`; without it all of them. */
  vocabulary: string
  /** The URI of a concept: only concepts below it. */
  branch: string
  /** Language tags of labels, separated by `,`, the best first; by default the language of the element. */
  language: string
  name: string
  /** The name under which a form sends the labels, beside the URIs. */
  labelName: string
  placeholder: string
  /** The most suggestions; 20 by default. */
  limit: string
  multiple: boolean
  required: boolean
  disabled: boolean
  /** True: without a tree to browse. */
  noTree: boolean

  readonly form: HTMLFormElement | null
  readonly labels: NodeList
  readonly validity: ValidityState
  readonly validationMessage: string
  readonly willValidate: boolean
  checkValidity(): boolean
  reportValidity(): boolean
  setCustomValidity(message: string): void
}

/** The attributes of the element in JSX, besides those of every element (docs/forms.md). */
export type VocabularyPickerProperties = Partial<
  Pick<
    VocabularyPicker,
    | 'concepts'
    | 'value'
    | 'strings'
    | 'service'
    | 'vocabulary'
    | 'branch'
    | 'language'
    | 'name'
    | 'labelName'
    | 'placeholder'
    | 'limit'
    | 'multiple'
    | 'required'
    | 'disabled'
    | 'noTree'
  >
> & { oninput?: (event: PickerEvent) => void; onchange?: (event: PickerEvent) => void }

declare global {
  interface HTMLElementTagNameMap {
    'vocabulary-picker': VocabularyPicker
  }
}
