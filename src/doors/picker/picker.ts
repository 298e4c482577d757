/**
 * `<vocabulary-picker>`: a field of a form for concepts of a vocabulary, on any site (docs/forms.md). GET /picker.js
 * serves it, and the package exports it as `vocabulary-service/picker`.
 */
import { nameOf } from '../../graph/jskos/names.ts'
import { shortText, make, nameNodes, nameText, numberText, on, set, textElement } from './dom.ts'
import {
  Failure,
  findConcepts,
  findLevel,
  findSuggestions,
  type Offer,
  type OfferedConcept,
  type FailureReason,
} from './questions.ts'
import { stringsFor } from './strings.ts'
import { ConceptTree, type TreeOwner } from './tree.ts'
import type { PickedConcept, PickerStrings, VocabularyPicker as Declared } from './types.d.ts'

/** The version of the package, and style.css; the build puts them in. */
declare const PACKAGE_VERSION: string
declare const PICKER_STYLE: string

/** Milliseconds that a text must rest before the picker asks. */
const PAUSE_MS = 150
/** Milliseconds before a picker shows that it is waiting. */
const PATIENCE_MS = 400
/** Labels to ask for at a time, so that no address gets too long. */
const LABELS = 40
/** Typed texts are cut, as nothing has such a name. */
const MAX_TYPED = 200

const TAG = 'vocabulary-picker'
const TEXTS = ['vocabulary', 'branch', 'name', 'labelName', 'placeholder', 'limit']
const FLAGS = ['multiple', 'required', 'disabled', 'noTree']
/** The properties that a page may set before this script has come, in an order in which none undoes another. */
const PROPERTIES = ['strings', ...FLAGS, ...TEXTS, 'service', 'language', 'concepts', 'value']

/** The place that the script comes from; empty if it is part of another script. */
const HOME = new URL(import.meta.url).pathname.endsWith('/picker.js') ? new URL('.', import.meta.url).href : ''

/** On servers, which import the module to render pages, there are no elements. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? class {}

/** The problem that the popup shows, or the wait. */
type Status = FailureReason | 'searching' | 'nothing' | undefined

/**
 * `<vocabulary-picker>`: a field of a form that takes concepts (docs/forms.md).
 *
 * @example <vocabulary-picker name="craft" vocabulary="crafts" required></vocabulary-picker>
 */
export class VocabularyPicker extends Base implements Declared {
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
  declare readonly form: HTMLFormElement | null
  declare readonly labels: NodeList
  declare readonly validity: ValidityState
  declare readonly validationMessage: string
  declare readonly willValidate: boolean
  declare checkValidity: () => boolean
  declare reportValidity: () => boolean

  static {
    const define = (
      name: string,
      get: (picker: VocabularyPicker) => unknown,
      put?: (picker: Element, value: unknown) => void,
    ) =>
      Object.defineProperty(this.prototype, name, {
        configurable: true,
        get(this: VocabularyPicker) {
          return get(this)
        },
        ...(put && {
          set(this: VocabularyPicker, value: unknown) {
            put(this, value)
          },
        }),
      })
    for (const name of TEXTS) {
      const attribute = attributeOf(name)
      define(
        name,
        (picker) => picker.getAttribute(attribute) ?? '',
        (picker, value) => setText(picker, attribute, value),
      )
    }
    for (const name of FLAGS) {
      const attribute = attributeOf(name)
      define(
        name,
        (picker) => picker.hasAttribute(attribute),
        (picker, value) => picker.toggleAttribute(attribute, Boolean(value)),
      )
    }
    for (const name of ['form', 'labels', 'validity', 'validationMessage', 'willValidate'] as const) {
      define(name, (picker) => picker.#internals[name])
    }
    for (const name of ['checkValidity', 'reportValidity'] as const) {
      define(name, (picker) => () => picker.#internals[name]())
    }
  }

  readonly #internals: ElementInternals
  readonly #values = make('ul', { part: 'values' })
  readonly #input = make('input', {
    id: 'input',
    part: 'input',
    role: 'combobox',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    maxlength: String(MAX_TYPED),
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': 'list',
  })
  readonly #clear = make('button', { part: 'remove', type: 'button' }, '×')
  readonly #browse = make(
    'button',
    { part: 'browse', type: 'button', 'aria-expanded': 'false', 'aria-controls': 'tree', 'aria-haspopup': 'tree' },
    '≡',
  )
  readonly #field = make('div', { part: 'field' }, this.#values, this.#input, this.#clear, this.#browse)
  readonly #list = make('ul', { id: 'list', part: 'list', role: 'listbox' })
  readonly #retry = make('button', { part: 'retry', type: 'button' })
  readonly #status = make('p', { part: 'status' })
  readonly #live = make('div', { role: 'status' })
  readonly #tree: ConceptTree
  readonly #popup: HTMLElement

  /** The concepts that were chosen or set; a picker for one concept shows and sends only the first. */
  #all: PickedConcept[] = []
  #options: OfferedConcept[] = []
  #active = -1
  /** Ends the question under way. */
  #asking = new AbortController()
  #waiting: ReturnType<typeof setTimeout> | undefined
  /** Asks the failed question again. */
  #again: (() => void) | undefined
  #strings: Partial<PickerStrings> = {}
  /** True once the user has chosen: from then on the attribute `value` is only the default. */
  #isDirty = false
  #isDisabled = false
  #customError = ''

  constructor() {
    super()
    this.#internals = this.attachInternals()
    this.#tree = new ConceptTree(this.#treeOwner())
    this.#tree.element.id = 'tree'
    this.#popup = make('div', { part: 'popup' }, this.#list, this.#tree.element, this.#status)
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
    // Constructed, because a strict Content-Security-Policy has no place for style elements.
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(PICKER_STYLE)
    root.adoptedStyleSheets = [sheet]
    root.append(this.#field, this.#popup, this.#live)
    this.#close()
    this.#listen()
  }

  connectedCallback(): void {
    // Properties that a page has set before this script came.
    for (const name of PROPERTIES) {
      const descriptor = Object.getOwnPropertyDescriptor(this, name)
      if (!descriptor) continue
      Reflect.deleteProperty(this, name)
      Object.assign(this, { [name]: descriptor.value as unknown })
    }
    addEventListener('online', this.#retryOnline)
    this.#update()
    this.#askLabels()
  }

  disconnectedCallback(): void {
    removeEventListener('online', this.#retryOnline)
    this.#close()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return
    if (name === 'value' && !this.#isDirty) this.#takeDefault()
    else if (name === 'multiple') this.#take(this.#all)
    else this.#update()
  }

  formDisabledCallback(isDisabled: boolean): void {
    this.#isDisabled = isDisabled
    this.#update()
  }

  formResetCallback(): void {
    this.#isDirty = false
    this.#input.removeAttribute('aria-invalid')
    this.#takeDefault()
  }

  /** The browser brings back what was chosen before the reader left the page. */
  formStateRestoreCallback(state: string): void {
    this.#isDirty = true
    this.#take(JSON.parse(state) as PickedConcept[])
  }

  get #chosen(): PickedConcept[] {
    return this.multiple ? this.#all : this.#all.slice(0, 1)
  }
  get concepts(): readonly PickedConcept[] {
    return this.#chosen
  }
  set concepts(concepts: readonly PickedConcept[]) {
    this.#isDirty = true
    this.#take([...(concepts ?? [])].map(picked))
  }
  get value(): string {
    return this.#chosen.map(({ uri }) => uri).join('|')
  }
  set value(value: string) {
    this.#isDirty = true
    const chosenByUri = new Map(this.#chosen.map((concept) => [concept.uri, concept]))
    this.#take(conceptsInValue(value ?? '').map((concept) => chosenByUri.get(concept.uri) ?? concept))
  }
  get strings(): Partial<PickerStrings> {
    return this.#strings
  }
  set strings(strings: Partial<PickerStrings>) {
    this.#strings = strings ?? {}
    this.#update()
  }

  get service(): string {
    return this.getAttribute('service') ?? HOME
  }
  set service(value: string) {
    setText(this, 'service', value)
  }
  get language(): string {
    return this.#languages.join(',')
  }
  set language(value: string) {
    setText(this, 'language', value)
  }
  setCustomValidity(message: string): void {
    this.#customError = message
    this.#validate()
  }

  get #languages(): string[] {
    const languageTags = this.getAttribute('language')?.split(',') ?? [
      this.closest('[lang]')?.getAttribute('lang') ?? '',
      ...navigator.languages,
    ]
    const tags = languageTags
      .map((tag) => tag.trim().toLowerCase())
      .filter((tag) => /^[a-z]{2,8}(-[a-z\d]{1,8})*$/.test(tag))
    return [...new Set(tags)].slice(0, 20)
  }

  get #texts(): PickerStrings {
    return { ...stringsFor(this.#languages[0] ?? ''), ...this.#strings }
  }

  get #offer(): Offer {
    const { service, vocabulary, branch } = this
    const base = new URL(service || '.', document.baseURI).href
    return { service: base.endsWith('/') ? base : `${base}/`, vocabulary, branch, languages: this.#languages }
  }

  get #isRightToLeft(): boolean {
    return getComputedStyle(this).direction === 'rtl'
  }

  /** A tree has one root or one vocabulary. */
  get #hasTree(): boolean {
    return !this.noTree && (this.branch !== '' || (this.vocabulary !== '' && !this.vocabulary.includes('|')))
  }

  /** True if the text of the input is no unfinished search. */
  get #isSearchOver(): boolean {
    return this.#input.value.trim() === this.#textOfChoice
  }

  /** The text of the input outside a search: in a picker for one concept its name. */
  get #textOfChoice(): string {
    const [concept] = this.#chosen
    return concept && !this.multiple ? nameText(concept, this.#languages) : ''
  }

  #listen(): void {
    const input = this.#input
    set(this.#live, 'aria-live', 'polite')
    on(input, 'input', (event) => {
      // The events of the picker itself have the concepts.
      event.stopPropagation()
      this.#validate()
      if (input.value === '' && !this.multiple && this.#chosen.length > 0) this.#choose([])
      if (input.value.trim() === '') this.#close()
      else this.#searchSoon()
    })
    on(input, 'keydown', (event) => this.#press(event))
    on(input, 'change', (event) => event.stopPropagation())
    on(input, 'pointerdown', () => {
      if (input === this.shadowRoot!.activeElement && this.#popup.hidden && this.#isSearchOver) this.#search('')
    })
    on(this.#list, 'pointerdown', (event) => event.preventDefault())
    on(this.#list, 'click', ({ target }) => {
      const index = [...this.#list.children].findIndex((option) => option.contains(target as Node))
      if (index >= 0) this.#toggle(this.#options[index]!)
    })
    on(this.#clear, 'click', () => {
      this.#input.focus()
      this.#remove(this.#chosen[0]!)
    })
    on(this.#browse, 'click', () => {
      if (!this.#tree.element.hidden) this.#close()
      else this.#openTree()
    })
    on(this.#tree.element, 'keydown', (event) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      this.#close()
      this.#browse.focus()
    })
    on(this.#retry, 'click', () => {
      input.focus()
      this.#again?.()
    })
    on(this.#field, 'click', ({ target }) => {
      if (target === this.#field) input.focus()
    })
    // A label outside sends its click here.
    on(this, 'click', (event) => {
      if (event.composedPath()[0] === this) input.focus()
    })
    on(this, 'focusin', () => this.#nameField())
    on(this, 'focusout', ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && this.contains(relatedTarget)) return
      this.#close()
    })
    on(this, 'invalid', () => set(input, 'aria-invalid', 'true'))
  }

  #press(event: KeyboardEvent): void {
    if (event.isComposing) return
    const { key } = event
    const isOpen = !this.#list.hidden
    const count = this.#options.length
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (!isOpen) this.#search(this.#isSearchOver ? '' : this.#input.value)
      else if (count > 0) {
        const step = key === 'ArrowDown' ? 1 : -1
        this.#activate(((this.#active + 1 + step + count + 1) % (count + 1)) - 1)
      }
    } else if (key === 'Enter') {
      if (!this.#enter()) return
    } else if (key === 'Escape') {
      if (this.#popup.hidden && this.#isSearchOver) return
      if (this.#popup.hidden) this.#resetText()
      this.#close()
    } else if (key === 'Backspace' && this.multiple && this.#input.value === '' && this.#chosen.length > 0) {
      this.#remove(this.#chosen.at(-1)!)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  /**
   * Carries out Enter: chooses, tries again, or submits the form as any other field does.
   *
   * @returns false if there is no form.
   */
  #enter(): boolean {
    const typed = this.#input.value.trim().toLowerCase()
    const isNamed = (candidate: OfferedConcept) => nameOf(candidate, this.#languages).toLowerCase() === typed
    const option = this.#options[this.#active] ?? this.#options.filter(isNamed)[0]
    if (!this.#list.hidden && option) this.#toggle(option)
    else if (!this.#popup.hidden && this.#again) this.#again()
    else if (!this.#isSearchOver) this.reportValidity()
    else {
      const { form } = this
      const button = [...(form?.elements ?? [])].find((element) => (element as HTMLButtonElement).type === 'submit')
      if (button) (button as HTMLElement).click()
      else form?.requestSubmit()
      return Boolean(form)
    }
    return true
  }

  #activate(position: number): void {
    this.#active = position
    for (const [index, option] of [...this.#list.children].entries()) {
      const isChosen = this.#isChosen(this.#options[index]!.uri)
      const partNames = ['option', ...(index === position ? ['active'] : []), ...(isChosen ? ['chosen'] : [])]
      set(option, 'part', partNames.join(' '))
      set(option, 'aria-selected', this.multiple ? isChosen : index === position)
      if (index === position) option.scrollIntoView({ block: 'nearest' })
    }
    if (position < 0) this.#input.removeAttribute('aria-activedescendant')
    else set(this.#input, 'aria-activedescendant', `option-${position}`)
  }

  #isChosen(uri: string): boolean {
    return this.#chosen.some((concept) => concept.uri === uri)
  }

  /** Ends the question under way and begins another one. */
  #begin(): AbortSignal {
    clearTimeout(this.#waiting)
    this.#asking.abort()
    this.#asking = new AbortController()
    this.#again = undefined
    return this.#asking.signal
  }

  #searchSoon(): void {
    this.#begin()
    this.#waiting = setTimeout(() => this.#search(this.#input.value), PAUSE_MS)
  }

  #search(typed: string): void {
    void this.#find(typed.trim())
  }

  async #find(text: string): Promise<void> {
    const signal = this.#begin()
    this.#waiting = setTimeout(() => this.#showList([], 'searching'), PATIENCE_MS)
    try {
      const { body, total } = await findSuggestions(this.#offer, { text, limit: this.limit || '20' }, signal)
      if (signal.aborted) return
      clearTimeout(this.#waiting)
      this.#showList(body, body.length === 0 ? 'nothing' : undefined, total, text)
    } catch (error) {
      if (signal.aborted) return
      clearTimeout(this.#waiting)
      this.#showList([], reasonOf(error))
      this.#again = () => void this.#find(text)
    }
  }

  #showList(options: OfferedConcept[], status: Status, total = 0, text = ''): void {
    const texts = this.#texts
    const isFailure = status !== undefined && status !== 'searching' && status !== 'nothing'
    const count = options.length
    this.#options = options
    const looks = new Set<string | null>()
    this.#list.replaceChildren(...options.map((option, index) => this.#option(option, index, text, looks)))
    set(this.#list, 'aria-label', texts.suggestions)
    this.#activate(-1)
    const numbers = count < total ? [count, total] : [count]
    const message = status
      ? texts[status]
      : `${texts.suggestions}: ${numbers.map((number) => numberText(number, this.#languages)).join(' / ')}`
    this.#retry.textContent = texts.retry
    this.#status.replaceChildren(make('bdi', {}, message), ...(isFailure ? [this.#retry] : []))
    this.#status.hidden = !status && count >= total
    this.#list.hidden = count === 0
    this.#tree.element.hidden = true
    this.#open(count > 0 ? this.#input : undefined)
    this.#say(isFailure ? `${message} ${texts.retry}` : message)
  }

  /** @param looks of the options before it: one that looks the same has its URI. */
  #option(concept: OfferedConcept, index: number, text: string, looks: Set<string | null>): HTMLElement {
    const option = make('li', { id: `option-${index}`, role: 'option' }, ...nameNodes(concept, this.#languages))
    const describe = (description: string) =>
      description && option.append(make('span', { part: 'description' }, textElement(description)))
    describe(this.#description(concept, text))
    if (looks.has(option.textContent)) describe(concept.uri)
    looks.add(option.textContent)
    return option
  }

  /** Another label that matches the text, and details that distinguish concepts with the same name. */
  #description(concept: OfferedConcept, text: string): string {
    const languages = this.#languages
    const name = nameOf(concept, languages)
    const words = foldText(text).split(' ').filter(Boolean)
    const matches = (label: string) => words.every((word) => foldText(label).includes(word))
    const otherLabels = [concept.altLabel, concept.prefLabel].flatMap((labels) =>
      Object.values<string | string[]>(labels ?? {}).flat(),
    )
    const isTwin = this.#options.some((option) => option !== concept && nameOf(option, languages) === name)
    const above = isTwin ? concept.broader?.find(Boolean) : undefined
    const hasScheme = this.vocabulary === '' || this.vocabulary.includes('|') || (isTwin && !above)
    const places = [above, hasScheme ? concept.inScheme?.[0] : undefined]
    return [
      matches(name) ? undefined : otherLabels.find(matches),
      ...places.map((place) => place && nameOf(place, languages)),
    ]
      .filter(Boolean)
      .join(', ')
  }

  #openTree(): void {
    this.#begin()
    this.#list.hidden = true
    this.#options = []
    this.#status.hidden = true
    this.#tree.element.hidden = false
    this.#open(this.#browse)
    void this.#tree.open()
  }

  /** @param by the control whose popup is open now. */
  #open(by: HTMLElement | undefined): void {
    const popup = this.#popup
    for (const control of [this.#input, this.#browse]) set(control, 'aria-expanded', control === by)
    popup.hidden = false
    const { top, bottom } = this.#field.getBoundingClientRect()
    const below = innerHeight - bottom
    popup.classList.toggle('above', below < popup.offsetHeight + 8 && top > below)
  }

  #close(): void {
    this.#begin()
    this.#popup.hidden = true
    this.#list.hidden = true
    this.#options = []
    this.#list.replaceChildren()
    this.#input.removeAttribute('aria-activedescendant')
    for (const control of [this.#input, this.#browse]) set(control, 'aria-expanded', 'false')
    this.#tree.element.hidden = true
  }

  readonly #retryOnline = (): void => {
    this.#again?.()
    this.#askLabels()
  }

  /** Chooses a concept, or removes it if a picker for several has it. */
  #toggle(concept: PickedConcept): void {
    if (this.multiple && this.#isChosen(concept.uri)) {
      this.#remove(concept)
      return
    }
    const isTree = !this.#tree.element.hidden
    this.#choose(this.multiple ? [...this.#chosen, picked(concept)] : [picked(concept)])
    this.#resetText()
    this.#say(this.#textOf('chosen', concept))
    if (isTree && this.multiple) return
    this.#input.focus()
    this.#close()
  }

  #remove(concept: PickedConcept): void {
    this.#choose(this.#chosen.filter(({ uri }) => uri !== concept.uri))
    if (!this.multiple) this.#resetText()
    this.#say(this.#textOf('removed', concept))
  }

  /** The chosen concepts. */
  #choose(concepts: PickedConcept[]): void {
    this.#isDirty = true
    this.#all = concepts
    this.#update()
    const detail = { concepts: [...concepts] }
    for (const type of ['input', 'change']) {
      this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
    }
  }

  /** The concepts that a page or the browser sets. */
  #take(concepts: PickedConcept[]): void {
    this.#all = concepts
    this.#resetText()
    this.#askLabels()
  }

  #takeDefault(): void {
    this.#take(conceptsInValue(this.getAttribute('value') ?? ''))
  }

  /** Ends the search: the input has the name of the choice again. */
  #resetText(): void {
    this.#input.value = this.#textOfChoice
    this.#update()
  }

  /** Asks for the labels of concepts that have none. */
  #askLabels(): void {
    const unknown = this.#chosen.filter(({ prefLabel }) => !prefLabel).map(({ uri }) => uri)
    if (!this.isConnected) return
    for (let start = 0; start < unknown.length; start += LABELS)
      void this.#readLabels(unknown.slice(start, start + LABELS))
  }

  async #readLabels(uris: string[]): Promise<void> {
    // On failure the field shows URIs until the network is back.
    const answer = await findConcepts(this.#offer, uris, new AbortController().signal).catch(() => undefined)
    if (!answer) return
    const conceptByUri = new Map(answer.body.map((concept) => [concept.uri, picked(concept)]))
    const wasSearchOver = this.#isSearchOver
    this.#all = this.#all.map((concept) => (concept.prefLabel ? concept : (conceptByUri.get(concept.uri) ?? concept)))
    if (wasSearchOver) this.#resetText()
    else this.#update()
  }

  /** Shows the chosen concepts, and sets the value in the form. */
  #update(): void {
    const texts = this.#texts
    const { multiple, labelName, name } = this
    const languages = this.#languages
    const chosen = this.#chosen
    this.#nameField()
    this.#input.placeholder = chosen.length > 0 ? '' : this.placeholder
    set(this.#input, 'aria-required', this.required)
    set(this.#values, 'aria-label', texts.chosen)
    this.#values.hidden = !multiple || chosen.length === 0
    this.#showValues()
    this.#clear.hidden = multiple || chosen.length === 0
    const [concept] = chosen
    if (concept) set(this.#clear, 'aria-label', this.#textOf('remove', concept))
    this.#browse.hidden = !this.#hasTree
    set(this.#browse, 'aria-label', texts.browse)
    this.#browse.title = texts.browse
    const isDisabled = this.#isDisabled || this.disabled
    for (const control of this.#field.querySelectorAll<HTMLInputElement | HTMLButtonElement>('input, button')) {
      control.disabled = isDisabled
    }
    this.#tree.element.setAttribute('aria-multiselectable', String(multiple))
    this.#tree.update()
    if (!this.#list.hidden) this.#activate(this.#active)

    const data = new FormData()
    if (name) for (const { uri } of chosen) data.append(name, uri)
    if (labelName) for (const concept of chosen) data.append(labelName, nameOf(concept, languages))
    this.#internals.setFormValue(chosen.length > 0 ? data : null, JSON.stringify(chosen))
    this.#validate()
  }

  #showValues(): void {
    const { multiple } = this
    const focused = [...this.#values.children].findIndex((item) => item.contains(this.shadowRoot!.activeElement))
    const items = (multiple ? this.#chosen : []).map((concept) => {
      const button = make(
        'button',
        { part: 'remove', type: 'button', 'aria-label': this.#textOf('remove', concept) },
        '×',
      )
      on(button, 'click', () => this.#remove(concept))
      return make('li', { part: 'value' }, make('span', {}, ...nameNodes(concept, this.#languages)), button)
    })
    this.#values.replaceChildren(...items)
    if (focused < 0) return
    // The focus stays where the removed concept was.
    const next = items[Math.min(focused, items.length - 1)]?.querySelector('button')
    ;(next ?? this.#input).focus()
  }

  #validate(): void {
    const texts = this.#texts
    const isMissing = this.required && this.#chosen.length === 0
    const flags: ValidityStateFlags = this.#customError
      ? { customError: true }
      : this.#isSearchOver
        ? { valueMissing: isMissing }
        : { badInput: true }
    const message = this.#customError || (this.#isSearchOver ? (isMissing ? texts.required : '') : texts.unsettled)
    this.#internals.setValidity(message ? flags : {}, message, this.#input)
    if (!message) this.#input.removeAttribute('aria-invalid')
  }

  /** A label in the page cannot name an element within another one, so the field has its text. */
  #nameField(): void {
    const outside = [...this.#internals.labels].map((label) => label.textContent?.trim()).join(' ')
    const name = this.getAttribute('aria-label') || outside || this.#texts.concept
    set(this.#input, 'aria-label', name)
  }

  /** A text with the name of a concept. */
  #textOf(text: 'chosen' | 'removed' | 'remove', concept: PickedConcept): string {
    return `${this.#texts[text]}: ${shortText(nameOf(concept, this.#languages))}`
  }

  #say(text: string): void {
    this.#live.textContent = text
  }

  #treeOwner(): TreeOwner {
    return {
      now: () => ({ languages: this.#languages, texts: this.#texts, isRightToLeft: this.#isRightToLeft }),
      isChosen: (uri) => this.#isChosen(uri),
      choose: (concept) => this.#toggle(concept),
      explain: (error) => this.#texts[reasonOf(error)],
      signal: () => this.#asking.signal,
      loadLevel: (parent, offset, signal) => findLevel(this.#offer, { parent, offset }, signal),
      say: (text) => this.#say(text),
    }
  }
}

/** The attribute of a property: `labelName` is `label-name`. */
function attributeOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function setText(element: Element, name: string, value: unknown): void {
  if (value === null || value === undefined) element.removeAttribute(name)
  else set(element, name, value)
}

function reasonOf(error: unknown): FailureReason {
  return error instanceof Failure ? error.reason : 'refused'
}

/** The fields of a concept that a form needs. */
function picked({ uri, prefLabel, notation, inScheme }: PickedConcept): PickedConcept {
  return { uri, ...(prefLabel && { prefLabel }), ...(notation && { notation }), ...(inScheme && { inScheme }) }
}

function conceptsInValue(value: string): PickedConcept[] {
  const uris = value.split('|').map((uri) => uri.trim())
  return [...new Set(uris)].filter(Boolean).map((uri) => ({ uri }))
}

/** A text without case and accents, its words separated by single spaces. */
function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

if (globalThis.customElements && !customElements.get(TAG)) {
  customElements.define(TAG, VocabularyPicker)
}
