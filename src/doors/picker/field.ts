/** The attributes of the picker as properties (HTML, section 2.6, "Reflection"), and its place in a form. */
import { set } from './dom.ts'
import type { Offer } from './questions.ts'
import { stringsFor } from './strings.ts'
import type { PickedConcept, PickerStrings, VocabularyPicker } from './types.d.ts'

/** The version of the package, which the build puts in. */
declare const PACKAGE_VERSION: string

const TEXTS = ['vocabulary', 'branch', 'name', 'labelName', 'placeholder', 'limit']
const FLAGS = ['multiple', 'required', 'disabled', 'noTree']
/** The properties that a page may set before this script has come, in an order in which none undoes another. */
const PROPERTIES = ['strings', ...FLAGS, ...TEXTS, 'service', 'language', 'concepts', 'value']

/** The place that the script comes from; empty if it is part of another script. */
const HOME = new URL(import.meta.url).pathname.endsWith('/picker.js') ? new URL('.', import.meta.url).href : ''

/** On servers, which import the module to render pages, there are no elements. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? class {}

/** An element of a form with the attributes of a picker. */
export abstract class PickerField extends Base implements Omit<VocabularyPicker, 'value' | 'setCustomValidity'> {
  static readonly formAssociated = true
  static readonly version = PACKAGE_VERSION
  static readonly observedAttributes = [...TEXTS, ...FLAGS, 'service', 'language', 'value'].map(attributeOf)

  declare vocabulary: string
  declare branch: string
  declare name: string
  declare labelName: string
  declare placeholder: string
  declare limit: string
  declare multiple: boolean
  declare required: boolean
  declare disabled: boolean
  declare noTree: boolean

  static {
    for (const name of [...TEXTS, ...FLAGS]) {
      const attribute = attributeOf(name)
      const isFlag = FLAGS.includes(name)
      Object.defineProperty(this.prototype, name, {
        configurable: true,
        get(this: Element) {
          return isFlag ? this.hasAttribute(attribute) : (this.getAttribute(attribute) ?? '')
        },
        set(this: Element, value: unknown) {
          if (isFlag) this.toggleAttribute(attribute, Boolean(value))
          else setText(this, attribute, value)
        },
      })
    }
  }

  readonly internals = this.attachInternals()

  get form(): HTMLFormElement | null {
    return this.internals.form
  }
  get labels(): NodeList {
    return this.internals.labels
  }
  get validity(): ValidityState {
    return this.internals.validity
  }
  get validationMessage(): string {
    return this.internals.validationMessage
  }
  get willValidate(): boolean {
    return this.internals.willValidate
  }
  checkValidity(): boolean {
    return this.internals.checkValidity()
  }
  reportValidity(): boolean {
    return this.internals.reportValidity()
  }

  abstract strings: Partial<PickerStrings>
  abstract concepts: readonly PickedConcept[]

  get service(): string {
    return this.getAttribute('service') ?? HOME
  }
  set service(value: string) {
    setText(this, 'service', value)
  }
  get language(): string {
    return this.languages.join(',')
  }
  set language(value: string) {
    setText(this, 'language', value)
  }

  connectedCallback(): void {
    for (const name of PROPERTIES) {
      const descriptor = Object.getOwnPropertyDescriptor(this, name)
      if (!descriptor) continue
      Reflect.deleteProperty(this, name)
      Object.assign(this, { [name]: descriptor.value as unknown })
    }
  }

  get languages(): string[] {
    const languageTags = this.getAttribute('language')?.split(',') ?? [
      this.closest('[lang]')?.getAttribute('lang') ?? '',
      ...navigator.languages,
    ]
    const tags = languageTags
      .map((tag) => tag.trim().toLowerCase())
      .filter((tag) => /^[a-z]{2,8}(-[a-z\d]{1,8})*$/.test(tag))
    return [...new Set(tags)].slice(0, 20)
  }

  get texts(): PickerStrings {
    return { ...stringsFor(this.languages[0] ?? ''), ...this.strings }
  }

  get offer(): Offer {
    const { service, vocabulary, branch } = this
    const base = new URL(service || '.', document.baseURI).href
    return { service: base.endsWith('/') ? base : `${base}/`, vocabulary, branch, languages: this.languages }
  }

  isChosen(uri: string): boolean {
    return this.concepts.some((concept) => concept.uri === uri)
  }

  /** A tree has one root or one vocabulary. */
  get hasTree(): boolean {
    return !this.noTree && (this.branch !== '' || (this.vocabulary !== '' && !this.vocabulary.includes('|')))
  }
}

/** The attribute of a property: `labelName` is `label-name`. */
function attributeOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Sets an attribute, or removes it if there is no value. */
function setText(element: Element, attribute: string, value: unknown): void {
  if (value === null || value === undefined) element.removeAttribute(attribute)
  else set(element, attribute, value)
}
