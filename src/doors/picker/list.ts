import { nameOf } from '../../graph/jskos/names.ts'
import { make, nameNodes, on, set, textElement } from './dom.ts'
import type { OfferedConcept } from './questions.ts'
import type { PopupOwner } from './tree.ts'

/** The suggestions below an input as the ARIA combobox pattern has them. */
export class ConceptList {
  readonly element = make('ul', { id: 'list', part: 'list', role: 'listbox' })
  readonly #input: HTMLElement
  readonly #owner: PopupOwner
  #concepts: OfferedConcept[] = []
  #active = -1

  constructor(input: HTMLElement, owner: PopupOwner) {
    this.#input = input
    this.#owner = owner
    on(this.element, 'pointerdown', (event) => event.preventDefault())
  }

  get isOpen(): boolean {
    return !this.element.hidden
  }

  /** Shows the concepts that match a text; no concepts close the list. */
  show(concepts: OfferedConcept[], text = ''): void {
    this.#concepts = concepts
    const looks = new Set<string | null>()
    this.element.replaceChildren(...concepts.map((concept, index) => this.#option(concept, index, text, looks)))
    this.element.hidden = concepts.length === 0
    this.#activate(-1)
  }

  /** Marks the concepts that are chosen now. */
  update(): void {
    if (this.isOpen) this.#activate(this.#active)
  }

  /** Goes on to the next option (1) or the previous one (-1); after the last one comes the input. */
  move(step: 1 | -1): void {
    const places = this.#concepts.length + 1
    if (places > 1) this.#activate(((this.#active + 1 + step + places) % places) - 1)
  }

  /** The concept that Enter chooses: the active one, else the first with the typed name. */
  conceptFor(typed: string): OfferedConcept | undefined {
    const { languages } = this.#owner.field
    const name = typed.trim().toLowerCase()
    return (
      this.#concepts[this.#active] ??
      this.#concepts.find((concept) => nameOf(concept, languages).toLowerCase() === name)
    )
  }

  #activate(position: number): void {
    const owner = this.#owner
    const { multiple } = owner.field
    this.#active = position
    for (const [index, option] of [...this.element.children].entries()) {
      const isChosen = owner.field.isChosen(this.#concepts[index]!.uri)
      const isActive = index === position
      set(option, 'part', ['option', isActive && 'active', isChosen && 'chosen'].filter(Boolean).join(' '))
      set(option, 'aria-selected', multiple ? isChosen : isActive)
      if (isActive) option.scrollIntoView({ block: 'nearest' })
    }
    if (position < 0) this.#input.removeAttribute('aria-activedescendant')
    else set(this.#input, 'aria-activedescendant', `option-${position}`)
  }

  /** @param looks of the options before it: one that looks the same has its URI. */
  #option(concept: OfferedConcept, index: number, text: string, looks: Set<string | null>): HTMLElement {
    const { languages } = this.#owner.field
    const option = make('li', { id: `option-${index}`, role: 'option' }, ...nameNodes(concept, languages))
    on(option, 'click', () => this.#owner.choose(concept))
    const describe = (description: string) =>
      description && option.append(make('span', { part: 'description' }, textElement(description)))
    describe(this.#description(concept, text))
    if (looks.has(option.textContent)) describe(concept.uri)
    looks.add(option.textContent)
    return option
  }

  /** Another label that matches the text, and details that distinguish concepts with the same name. */
  #description(concept: OfferedConcept, text: string): string {
    const { languages, vocabulary } = this.#owner.field
    const name = nameOf(concept, languages)
    const words = foldText(text).split(' ').filter(Boolean)
    const matches = (label: string) => words.every((word) => foldText(label).includes(word))
    const otherLabels = [concept.altLabel, concept.prefLabel].flatMap((labels) =>
      Object.values<string | string[]>(labels ?? {}).flat(),
    )
    const isTwin = this.#concepts.some((other) => other !== concept && nameOf(other, languages) === name)
    const above = isTwin ? concept.broader?.find(Boolean) : undefined
    const hasScheme = vocabulary === '' || vocabulary.includes('|') || (isTwin && !above)
    const places = [above, hasScheme ? concept.inScheme?.[0] : undefined]
    return [
      matches(name) ? undefined : otherLabels.find(matches),
      ...places.map((place) => place && nameOf(place, languages)),
    ]
      .filter(Boolean)
      .join(', ')
  }
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
