import { inLanguage, nameOf, shownNotation, type Item } from '../../graph/jskos/names.ts'

/** Longer texts are cut where they are shown; values stay whole. */
const MAX_SHOWN = 200

/** An element with attributes and content; texts are never markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) set(element, attribute, value)
  element.append(...content)
  return element
}

/** Sets an attribute; numbers and booleans become texts. */
export function set(element: Element, attribute: string, value: unknown): void {
  element.setAttribute(attribute, String(value))
}

/** Adds a listener whose event has the type of its name. */
export function on<Name extends keyof HTMLElementEventMap>(
  element: HTMLElement,
  name: Name,
  listener: (event: HTMLElementEventMap[Name]) => void,
): void {
  element.addEventListener(name, listener)
}

/** A text of at most `MAX_SHOWN` UTF-16 code units. */
export function shortText(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).replace(/[\ud800-\udbff]$/, '')}…` : text
}

/** A text of a vocabulary with its language; its direction does not affect the text around it. */
export function textElement(text: string, language = 'und'): HTMLElement {
  return make('bdi', { lang: language === 'und' ? '' : language }, shortText(text))
}

/** A number as the first language writes it. */
export function numberText(count: number, [language]: readonly string[]): string {
  try {
    return count.toLocaleString(language)
  } catch {
    // The tag is well formed, but Intl refuses it.
    return String(count)
  }
}

/** Notation and label of a concept. */
export function nameNodes(item: Item, languages: readonly string[]): (Node | string)[] {
  const name = nameOf(item, languages)
  const label = textElement(name, inLanguage(item.prefLabel, languages)?.language)
  const notation = shownNotation(item, name)
  return notation === undefined
    ? [label]
    : [make('bdi', { part: 'notation', lang: '' }, shortText(notation)), ' ', label]
}

/** The same as text, as an input has it. */
export function nameText(item: Item, languages: readonly string[]): string {
  return make('p', {}, ...nameNodes(item, languages)).textContent.trim()
}
