import { nameOf } from '../../graph/jskos/names.ts'
import { shortText, make, nameNodes, numberText, on, set } from './dom.ts'
import type { PickerField } from './field.ts'
import { findLevel, LEVEL, reasonOf, type OfferedConcept } from './questions.ts'
import { moveTo, TypeAhead } from './roving.ts'
import type { PickedConcept } from './types.d.ts'

/** The picker of a list or a tree, as far as these use it. */
export interface PopupOwner {
  field: PickerField
  choose: (concept: PickedConcept) => void
  /** Aborted as soon as the tree is closed. */
  signal: () => AbortSignal
  /** Announces a text to screen readers. */
  say: (text: string) => void
}

/** An item of the tree: a concept, the rest of a level, or a failure. */
interface TreeItem {
  text: string
  concept?: OfferedConcept
  /** Carries out Enter or a click on an item that is no concept. */
  act?: () => void
}

let ids = 0

/** The hierarchy as the ARIA tree pattern has it, read level by level. */
export class ConceptTree {
  readonly element = make('ul', { role: 'tree', part: 'tree' })
  readonly #owner: PopupOwner
  readonly #items = new WeakMap<Element, TreeItem>()
  readonly #typeAhead = new TypeAhead()

  constructor(owner: PopupOwner) {
    this.#owner = owner
    on(this.element, 'keydown', (event) => this.#press(event))
    on(this.element, 'click', ({ target }) => this.#click(target as Element))
  }

  /** Reads the tree anew and gives it the focus. */
  async open(): Promise<void> {
    const { element } = this
    const owner = this.#owner
    element.replaceChildren()
    set(element, 'aria-label', owner.field.texts.browse)
    if (!(await this.#read(element, undefined, 0))) return
    const chosen = element.querySelector('[aria-selected=true]')
    this.#focus(chosen ?? element.querySelector('[role=treeitem]'))
  }

  /** Marks the concepts that are chosen now. */
  update(): void {
    for (const item of this.element.querySelectorAll('[role=treeitem]')) this.#mark(item)
  }

  /**
   * Reads a part of a level into its list; if that fails, an item offers another attempt. Returns false if the tree was
   * closed in the meantime.
   *
   * @param former the item that has asked for it.
   */
  async #read(list: HTMLElement, parent: string | undefined, offset: number, former?: HTMLElement): Promise<boolean> {
    const owner = this.#owner
    const busy = former ?? itemAbove(list) ?? list
    const signal = owner.signal()
    set(busy, 'aria-busy', true)
    try {
      const { body, total } = await findLevel(owner.field.offer, { parent, offset }, signal)
      if (signal.aborted) return false
      this.#append(list, parent, body, offset, total)
    } catch (error) {
      if (signal.aborted) return false
      const { texts } = owner.field
      const text = texts[reasonOf(error)]
      const act = () => void this.#read(list, parent, offset, item)
      const item = this.#node({ text, act }, [`${text} `, make('u', {}, texts.retry)])
      list.append(make('li', { role: 'none' }, item))
      owner.say(text)
    } finally {
      busy.removeAttribute('aria-busy')
    }
    // The focus moves on before its item goes, or it would leave the picker.
    const place = former?.parentElement
    if (place && this.#current() === former) {
      // Nothing comes after it if the rest of the level is gone by now.
      this.#focus((place.nextElementSibling ?? place.previousElementSibling)?.firstElementChild ?? null)
    }
    place?.remove()
    return true
  }

  #append(
    list: HTMLElement,
    parent: string | undefined,
    concepts: OfferedConcept[],
    offset: number,
    total: number,
  ): void {
    const owner = this.#owner
    const { languages, texts } = owner.field
    const append = (item: HTMLElement) => list.append(make('li', { role: 'none' }, item))
    const listedUris = new Set(
      [...list.children].map((entry) => this.#items.get(entry.firstElementChild!)?.concept?.uri),
    )
    const above = itemsAbove(list).map((ancestor) => this.#items.get(ancestor)?.concept?.uri)
    for (const [index, concept] of concepts.entries()) {
      if (listedUris.has(concept.uri)) continue
      const item = this.#node({ text: nameOf(concept, languages), concept }, nameNodes(concept, languages))
      set(item, 'aria-level', above.length + 1)
      set(item, 'aria-setsize', total)
      set(item, 'aria-posinset', offset + index + 1)
      // The hierarchy may lead in a circle.
      if (concept.hasChildren && !above.includes(concept.uri)) set(item, 'aria-expanded', 'false')
      append(item)
    }
    const next = offset + Math.min(concepts.length, LEVEL)
    if (next >= total || concepts.length === 0) {
      if (list.children.length === 0) append(this.#node({ text: texts.nothing }, [texts.nothing]))
      return
    }
    const text = `${texts.more}: ${numberText(total - next, languages)}`
    const act = () => void this.#read(list, parent, next, more)
    const more = this.#node({ text, act }, [make('u', {}, text)])
    append(more)
  }

  #node(content: TreeItem, name: (Node | string)[]): HTMLElement {
    const twisty = make('span', { part: 'twisty', 'aria-hidden': 'true' })
    if (content.concept?.hasChildren) twisty.append('›')
    const item = make('div', { role: 'treeitem', part: 'node', tabindex: '-1' }, twisty, make('span', {}, ...name))
    this.#items.set(item, content)
    this.#mark(item)
    return item
  }

  /** Marks a concept that is chosen. */
  #mark(item: Element): void {
    const uri = this.#items.get(item)!.concept?.uri
    if (uri === undefined) return
    const isChosen = this.#owner.field.isChosen(uri)
    set(item, 'aria-selected', isChosen)
    set(item, 'part', isChosen ? 'node chosen' : 'node')
  }

  #expand(item: HTMLElement, isOpen: boolean): void {
    set(item, 'aria-expanded', isOpen)
    const group = item.nextElementSibling as HTMLElement | null
    if (group) group.hidden = !isOpen
    if (!isOpen || group) return
    const id = `below-${++ids}`
    const list = make('ul', { role: 'group', id })
    set(item, 'aria-owns', id)
    item.after(list)
    void this.#read(list, this.#items.get(item)!.concept!.uri, 0)
  }

  #choose(item: Element): void {
    const content = this.#items.get(item)
    if (content?.concept) this.#owner.choose(content.concept)
    else if (!item.hasAttribute('aria-busy')) content?.act?.()
  }

  #click(target: Element): void {
    const item = target.closest<HTMLElement>('[role=treeitem]')
    if (!item) return
    this.#focus(item)
    const isTwisty = target.closest('[part=twisty]') !== null
    const expanded = item.getAttribute('aria-expanded')
    if (isTwisty && expanded !== null) this.#expand(item, expanded === 'false')
    else this.#choose(item)
  }

  #current(): HTMLElement | null {
    return this.element.querySelector('[role=treeitem][tabindex="0"]')
  }

  #focus(item: Element | null): void {
    if (!(item instanceof HTMLElement)) return
    const current = this.#current()
    if (current) current.tabIndex = -1
    item.tabIndex = 0
    item.focus()
  }

  #press(event: KeyboardEvent): void {
    const item = this.#current()
    const { key } = event
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return
    const [open, close] =
      getComputedStyle(this.element).direction === 'rtl' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
    const expanded = item.getAttribute('aria-expanded')
    const shown = [...this.element.querySelectorAll('[role=treeitem]')].filter(
      (element) => !element.parentElement!.closest('[hidden]'),
    )
    const position = shown.indexOf(item)
    const next = moveTo(key, shown, position)
    if (next !== false) this.#focus(next ?? null)
    else if (key === open) {
      if (expanded === 'true') this.#focus(item.nextElementSibling!.querySelector('[role=treeitem]'))
      else if (expanded === 'false') this.#expand(item, true)
    } else if (key === close) {
      if (expanded === 'true') this.#expand(item, false)
      else this.#focus(itemAbove(item.closest('ul')!))
    } else if (key === 'Enter' || key === ' ') this.#choose(item)
    else if ([...key].length === 1) {
      const namesOf = (candidate: Element) => [shortText(this.#items.get(candidate)?.text ?? '')]
      this.#focus(this.#typeAhead.find([key, event.timeStamp], shown, position, namesOf) ?? null)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
}

/** The item that a list of the tree is below. */
function itemAbove(list: Element): HTMLElement | null {
  return list.previousElementSibling instanceof HTMLElement && list.matches('[role=group]')
    ? list.previousElementSibling
    : null
}

/** The items that a list is below, the nearest first. */
function itemsAbove(list: Element): HTMLElement[] {
  const item = itemAbove(list)
  return item ? [item, ...itemsAbove(item.closest('ul')!)] : []
}
