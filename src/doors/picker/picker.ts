/**
 * `<vocabulary-picker>`: a field of a form for concepts of a vocabulary, on any site (docs/forms.md). GET /picker.js
 * serves it, and the package exports it as `vocabulary-service/picker`.
 */
import { nameOf } from '../../graph/jskos/names.ts'
import { ChosenConcepts } from './chosen-concepts.ts'
import { shortText, make, nameNodes, nameText, numberText, on, set } from './dom.ts'
import { PickerField } from './field.ts'
import { ConceptList } from './list.ts'
import { findConcepts, findSuggestions, reasonOf, type OfferedConcept, type FailureReason } from './questions.ts'
import { ConceptTree, type PopupOwner } from './tree.ts'
import type { PickedConcept, PickerStrings, VocabularyPicker as Declared } from './types.d.ts'

/** style.css, which the build puts in. */
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

/** The problem that the popup shows, or the wait. */
type Status = FailureReason | 'searching' | 'nothing' | undefined

/**
 * `<vocabulary-picker>`: a field of a form that takes concepts (docs/forms.md).
 *
 * @example <vocabulary-picker name="craft" vocabulary="crafts" required></vocabulary-picker>
 */
export class VocabularyPicker extends PickerField implements Declared {
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
  readonly #retry = make('button', { part: 'retry', type: 'button' })
  readonly #status = make('p', { part: 'status' })
  readonly #live = make('div', { role: 'status', 'aria-live': 'polite' })
  readonly #list: ConceptList
  readonly #tree: ConceptTree
  readonly #popup: HTMLElement

  readonly #chosen = new ChosenConcepts(() => this.multiple)
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
    const owner: PopupOwner = {
      field: this,
      choose: (concept) => this.#toggle(concept),
      signal: () => this.#asking.signal,
      say: (text) => this.#say(text),
    }
    this.#list = new ConceptList(this.#input, owner)
    this.#tree = new ConceptTree(owner)
    this.#tree.element.id = 'tree'
    this.#popup = make('div', { part: 'popup' }, this.#list.element, this.#tree.element, this.#status)
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
    // Constructed, because a strict Content-Security-Policy has no place for style elements.
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(PICKER_STYLE)
    root.adoptedStyleSheets = [sheet]
    root.append(this.#field, this.#popup, this.#live)
    this.#close()
    this.#listen()
  }

  override connectedCallback(): void {
    super.connectedCallback()
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
    else if (name === 'multiple') this.#show()
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
    this.concepts = JSON.parse(state) as PickedConcept[]
  }

  get concepts(): readonly PickedConcept[] {
    return this.#chosen.concepts
  }
  set concepts(concepts: readonly PickedConcept[]) {
    this.#isDirty = true
    this.#chosen.concepts = [...(concepts ?? [])]
    this.#show()
  }
  get value(): string {
    return this.#chosen.value
  }
  set value(value: string) {
    this.#isDirty = true
    this.#chosen.value = value ?? ''
    this.#show()
  }
  get strings(): Partial<PickerStrings> {
    return this.#strings
  }
  set strings(strings: Partial<PickerStrings>) {
    this.#strings = strings ?? {}
    this.#update()
  }
  setCustomValidity(message: string): void {
    this.#customError = message
    this.#validate()
  }

  /** True if the text of the input is no unfinished search. */
  get #isSearchOver(): boolean {
    return this.#input.value.trim() === this.#textOfChoice
  }

  /** The text of the input outside a search: in a picker for one concept its name. */
  get #textOfChoice(): string {
    const [concept] = this.concepts
    return concept && !this.multiple ? nameText(concept, this.languages) : ''
  }

  #listen(): void {
    const input = this.#input
    on(input, 'input', (event) => {
      // The events of the picker itself have the concepts.
      event.stopPropagation()
      this.#validate()
      if (input.value === '' && !this.multiple && this.concepts.length > 0) this.#choose([])
      if (input.value.trim() === '') this.#close()
      else this.#searchSoon()
    })
    on(input, 'keydown', (event) => this.#press(event))
    on(input, 'change', (event) => event.stopPropagation())
    on(input, 'pointerdown', () => {
      if (input === this.shadowRoot!.activeElement && this.#popup.hidden && this.#isSearchOver) void this.#search('')
    })
    on(this.#clear, 'click', () => {
      this.#input.focus()
      this.#remove(this.concepts[0]!)
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
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (this.#list.isOpen) this.#list.move(key === 'ArrowDown' ? 1 : -1)
      else void this.#search(this.#isSearchOver ? '' : this.#input.value)
    } else if (key === 'Enter') {
      if (!this.#enter()) return
    } else if (key === 'Escape') {
      if (this.#popup.hidden && this.#isSearchOver) return
      if (this.#popup.hidden) this.#resetText()
      this.#close()
    } else if (key === 'Backspace' && this.multiple && this.#input.value === '' && this.concepts.length > 0) {
      this.#remove(this.concepts.at(-1)!)
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
    const concept = this.#list.conceptFor(this.#input.value)
    if (concept) this.#toggle(concept)
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
    this.#waiting = setTimeout(() => void this.#search(this.#input.value), PAUSE_MS)
  }

  async #search(typed: string): Promise<void> {
    const text = typed.trim()
    const signal = this.#begin()
    this.#waiting = setTimeout(() => this.#showList([], 'searching'), PATIENCE_MS)
    try {
      const { body, total } = await findSuggestions(this.offer, { text, limit: this.limit || '20' }, signal)
      if (signal.aborted) return
      this.#showList(body, body.length === 0 ? 'nothing' : undefined, total, text)
    } catch (error) {
      if (signal.aborted) return
      this.#showList([], reasonOf(error))
      this.#again = () => void this.#search(text)
    }
  }

  #showList(options: OfferedConcept[], status: Status, total = 0, text = ''): void {
    clearTimeout(this.#waiting)
    const { texts } = this
    const isFailure = status !== undefined && status !== 'searching' && status !== 'nothing'
    const count = options.length
    this.#list.show(options, text)
    set(this.#list.element, 'aria-label', texts.suggestions)
    const numbers = count < total ? [count, total] : [count]
    const message = status
      ? texts[status]
      : `${texts.suggestions}: ${numbers.map((number) => numberText(number, this.languages)).join(' / ')}`
    this.#retry.textContent = texts.retry
    this.#status.replaceChildren(make('bdi', {}, message), ...(isFailure ? [this.#retry] : []))
    this.#status.hidden = !status && count >= total
    this.#tree.element.hidden = true
    this.#open(count > 0 ? this.#input : undefined)
    this.#say(isFailure ? `${message} ${texts.retry}` : message)
  }

  #openTree(): void {
    this.#begin()
    this.#list.show([])
    this.#status.hidden = true
    this.#tree.element.hidden = false
    this.#open(this.#browse)
    void this.#tree.open()
  }

  /** @param by the control whose popup is open now. */
  #open(by: HTMLElement | undefined): void {
    const popup = this.#popup
    this.#expand(by)
    popup.hidden = false
    const { top, bottom } = this.#field.getBoundingClientRect()
    const below = innerHeight - bottom
    popup.classList.toggle('above', below < popup.offsetHeight + 8 && top > below)
  }

  #close(): void {
    this.#begin()
    this.#popup.hidden = true
    this.#list.show([])
    this.#expand(undefined)
    this.#tree.element.hidden = true
  }

  #expand(by: HTMLElement | undefined): void {
    for (const control of [this.#input, this.#browse]) set(control, 'aria-expanded', control === by)
  }

  readonly #retryOnline = (): void => {
    this.#again?.()
    this.#askLabels()
  }

  /** Chooses a concept, or removes it if a picker for several has it. */
  #toggle(concept: PickedConcept): void {
    if (this.multiple && this.isChosen(concept.uri)) {
      this.#remove(concept)
      return
    }
    const isTree = !this.#tree.element.hidden
    this.#choose(this.multiple ? [...this.concepts, concept] : [concept])
    this.#resetText()
    this.#say(this.#textOf('chosen', concept))
    if (isTree && this.multiple) return
    this.#input.focus()
    this.#close()
  }

  #remove(concept: PickedConcept): void {
    this.#choose(this.concepts.filter(({ uri }) => uri !== concept.uri))
    if (!this.multiple) this.#resetText()
    this.#say(this.#textOf('removed', concept))
  }

  /** The chosen concepts. */
  #choose(concepts: PickedConcept[]): void {
    this.#isDirty = true
    this.#chosen.concepts = concepts
    this.#update()
    const detail = { concepts: this.#chosen.concepts }
    for (const type of ['input', 'change']) {
      this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
    }
  }

  /** Shows the concepts that a page or the browser has set. */
  #show(): void {
    this.#resetText()
    this.#askLabels()
  }

  #takeDefault(): void {
    this.#chosen.value = this.getAttribute('value') ?? ''
    this.#show()
  }

  /** Ends the search: the input has the name of the choice again. */
  #resetText(): void {
    this.#input.value = this.#textOfChoice
    this.#update()
  }

  /** Asks for the labels of concepts that have none. */
  #askLabels(): void {
    if (!this.isConnected) return
    const uris = this.concepts.filter(({ prefLabel }) => !prefLabel).map(({ uri }) => uri)
    for (let start = 0; start < uris.length; start += LABELS) void this.#readLabels(uris.slice(start, start + LABELS))
  }

  async #readLabels(uris: string[]): Promise<void> {
    // On failure the field shows URIs until the network is back.
    const answer = await findConcepts(this.offer, uris, new AbortController().signal).catch(() => undefined)
    if (!answer) return
    const wasSearchOver = this.#isSearchOver
    this.#chosen.label(answer.body)
    if (wasSearchOver) this.#resetText()
    else this.#update()
  }

  /** Shows the chosen concepts, and sets the value in the form. */
  #update(): void {
    const { multiple, labelName, name, texts, languages, concepts } = this
    const [first] = concepts
    this.#nameField()
    this.#input.placeholder = first ? '' : this.placeholder
    set(this.#input, 'aria-required', this.required)
    set(this.#values, 'aria-label', texts.chosen)
    this.#values.hidden = !multiple || !first
    this.#showValues()
    this.#clear.hidden = multiple || !first
    if (first) set(this.#clear, 'aria-label', this.#textOf('remove', first))
    this.#browse.hidden = !this.hasTree
    set(this.#browse, 'aria-label', texts.browse)
    this.#browse.title = texts.browse
    const isDisabled = this.#isDisabled || this.disabled
    for (const control of this.#field.querySelectorAll<HTMLInputElement | HTMLButtonElement>('input, button')) {
      control.disabled = isDisabled
    }
    set(this.#tree.element, 'aria-multiselectable', multiple)
    this.#tree.update()
    this.#list.update()

    const data = new FormData()
    if (name) for (const { uri } of concepts) data.append(name, uri)
    if (labelName) for (const concept of concepts) data.append(labelName, nameOf(concept, languages))
    this.internals.setFormValue(first ? data : null, JSON.stringify(concepts))
    this.#validate()
  }

  #showValues(): void {
    const { multiple } = this
    const focused = [...this.#values.children].findIndex((item) => item.contains(this.shadowRoot!.activeElement))
    const items = (multiple ? this.concepts : []).map((concept) => {
      const button = make(
        'button',
        { part: 'remove', type: 'button', 'aria-label': this.#textOf('remove', concept) },
        '×',
      )
      on(button, 'click', () => this.#remove(concept))
      return make('li', { part: 'value' }, make('span', {}, ...nameNodes(concept, this.languages)), button)
    })
    this.#values.replaceChildren(...items)
    if (focused < 0) return
    // The focus stays where the removed concept was.
    const next = items[Math.min(focused, items.length - 1)]?.querySelector('button')
    ;(next ?? this.#input).focus()
  }

  #validate(): void {
    const { texts } = this
    const isMissing = this.required && this.concepts.length === 0
    const [flag, message]: [keyof ValidityStateFlags, string] = this.#customError
      ? ['customError', this.#customError]
      : this.#isSearchOver
        ? ['valueMissing', isMissing ? texts.required : '']
        : ['badInput', texts.unsettled]
    this.internals.setValidity(message ? { [flag]: true } : {}, message, this.#input)
    if (!message) this.#input.removeAttribute('aria-invalid')
  }

  /** A label in the page cannot name an element within another one, so the field has its text. */
  #nameField(): void {
    const outside = [...this.internals.labels].map((label) => label.textContent?.trim()).join(' ')
    const name = this.getAttribute('aria-label') || outside || this.texts.concept
    set(this.#input, 'aria-label', name)
  }

  /** A text with the name of a concept. */
  #textOf(text: 'chosen' | 'removed' | 'remove', concept: PickedConcept): string {
    return `${this.texts[text]}: ${shortText(nameOf(concept, this.languages))}`
  }

  #say(text: string): void {
    this.#live.textContent = text
  }
}

if (globalThis.customElements && !customElements.get(TAG)) {
  customElements.define(TAG, VocabularyPicker)
}
