/**
 * The views of a vocabulary beside a page: tabs that load the views in part, with a tree for the keyboard (ARIA
 * Authoring Practices Guide, "Tabs" and "Navigation Treeview"). Loaded views, open items and scroll positions are kept
 * from page to page.
 */

import { moveTo, TypeAhead } from '../../picker/roving.ts'
import { keep, readStored as read } from '../browser-storage.ts'

/** The state of a view that is kept. */
interface Kept {
  html: string
  scroll: number
}

/** The kept state of the column, for a vocabulary in a language. */
interface ColumnState {
  savedAt: number
  views: Record<string, Kept>
}

/** The width from which styles/frame.css shows the column. */
const WIDE = matchMedia('(min-width: 72rem)')
/** The state for a vocabulary without a revision may be out of date later. */
const MAX_AGE_MS = 600_000
/** A view with more characters is loaded again. */
const MAX_KEPT = 300_000

const column = document.querySelector<HTMLElement>('nav.column')
if (column) {
  if (WIDE.matches) show(column)
  else WIDE.addEventListener('change', () => show(column), { once: true })
}

function show(column: HTMLElement): void {
  const tabs = [...column.querySelectorAll<HTMLAnchorElement>('a[data-view]')]
  const { at: currentUri, state: stateName = '', failed = '', again = '' } = column.dataset
  const key = `column ${stateName}`
  const before = read<ColumnState>('sessionStorage', key)
  const isFresh = before && (!stateName.endsWith(' ') || Date.now() - before.savedAt < MAX_AGE_MS)
  const savedViews = isFresh ? before.views : {}
  const panels = new Map<string, HTMLElement>()
  let shown = ''

  tabs[0]!.parentElement!.setAttribute('role', 'tablist')
  for (const tab of tabs) {
    const panel = document.createElement('div')
    const view = tab.dataset['view']!
    panel.id = `view-${view}`
    panel.setAttribute('role', 'tabpanel')
    panel.hidden = true
    panel.dataset['view'] = view
    tab.id = `tab-${view}`
    tab.setAttribute('role', 'tab')
    tab.setAttribute('aria-controls', panel.id)
    panel.setAttribute('aria-labelledby', tab.id)
    panels.set(view, panel)
  }
  column.append(...panels.values())

  const select = (tab: HTMLAnchorElement) => {
    const view = tab.dataset['view']!
    if (view === shown) return
    if (shown) keepScroll()
    shown = view
    for (const each of tabs) {
      each.setAttribute('aria-selected', String(each === tab))
      each.tabIndex = each === tab ? 0 : -1
      panels.get(each.dataset['view']!)!.hidden = each !== tab
    }
    const panel = panels.get(view)!
    if (panel.childElementCount === 0) {
      const html = savedViews[view]?.html
      if (html === undefined) void open(panel, tab.href)
      else {
        panel.innerHTML = html
        panel.scrollTop = savedViews[view]!.scroll
        void arrive(panel, tab.href)
      }
    } else panel.scrollTop = savedViews[view]?.scroll ?? 0
  }
  const keepScroll = () => {
    const panel = panels.get(shown)!
    savedViews[shown] = { html: '', ...savedViews[shown], scroll: panel.scrollTop }
  }

  /** Loads a view, and puts it in place of what is there. */
  const open = async (panel: HTMLElement, address: string, choose?: (nodes: Node[]) => void) => {
    setBusy(panel, true)
    try {
      const nodes = await load(address, 'column')
      if (choose) choose(nodes)
      else panel.replaceChildren(...nodes)
      prepare(panel)
      mark(panel)
    } catch {
      const message = document.createElement('p')
      const retry = document.createElement('button')
      message.textContent = `${failed} `
      retry.type = 'button'
      retry.textContent = again
      retry.addEventListener('click', () => void open(panel, address))
      message.append(retry)
      panel.replaceChildren(message)
    } finally {
      setBusy(panel, false)
    }
  }

  /** Shows in a kept view where the reader is now. */
  const arrive = async (panel: HTMLElement, address: string) => {
    prepare(panel)
    const item = mark(panel)
    if (item) {
      if (isOpen(item) === false && panel.dataset['view'] === 'tree') await openItem(item)
    } else if (currentUri !== undefined && panel.dataset['view'] !== 'changes') {
      await open(panel, address, (nodes) => {
        const old = panel.querySelector('ul')
        const [next] = nodes
        if (old && next instanceof Element && ariaRole(next) === 'tree') keepOpen(old, next)
        panel.replaceChildren(...nodes)
      })
    }
  }

  /** Marks the links to this page, opens the items above the link that the reader followed, and scrolls to it. */
  const mark = (panel: HTMLElement): HTMLElement | undefined => {
    const links = [...panel.querySelectorAll('a')].filter((link) => uriOf(link) !== null)
    for (const link of links) link.removeAttribute('aria-current')
    const currentLinks = links.filter((link) => uriOf(link) === currentUri)
    for (const link of currentLinks) link.setAttribute('aria-current', 'page')
    const item =
      currentLinks.find((link) => link.hasAttribute('data-came')) ?? currentLinks.find(isVisible) ?? currentLinks[0]
    for (const link of panel.querySelectorAll('[data-came]')) link.removeAttribute('data-came')
    if (!item) {
      focusable(panel, item)
      return undefined
    }
    for (let above = parentOf(item); above; above = parentOf(above)) setOpen(above, true)
    focusable(panel, item)
    const [place, view] = [item.getBoundingClientRect(), panel.getBoundingClientRect()]
    if (place.top < view.top || place.bottom > view.bottom) {
      panel.scrollTop += place.top - view.top - view.height / 3
    }
    if (read('sessionStorage', 'column focus') === true) {
      item.focus({ preventScroll: true })
      write('column focus', false)
    }
    return item
  }

  column.addEventListener('click', (event) => {
    if (!(event.target instanceof Element) || event.button !== 0) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    const tab = event.target.closest<HTMLAnchorElement>('[role=tab]')
    if (tab) {
      event.preventDefault()
      select(tab)
      write('column tab', tab.dataset['view'])
      return
    }
    const knob = event.target.closest('[role=tree] li > i')
    if (knob) return void toggle(knob.previousElementSibling as HTMLElement)
    const panel = event.target.closest<HTMLElement>('[role=tabpanel]')
    const link = event.target.closest<HTMLAnchorElement>('a')
    if (!panel || !link) return
    if (link.classList.contains('more')) {
      event.preventDefault()
      void more(link)
    } else if (link.pathname === pathOf(panel)) {
      event.preventDefault()
      void open(panel, link.href).then(() => {
        panel.scrollTop = 0
        panel.querySelector<HTMLElement>('.letters [aria-current]')?.focus()
      })
    } else {
      link.setAttribute('data-came', '')
      // A click by keyboard has no position.
      write('column focus', event.detail === 0)
    }
  })
  const pathOf = ({ dataset }: HTMLElement) => tabs.find((tab) => tab.dataset['view'] === dataset['view'])!.pathname

  column.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement)) return
    const role = ariaRole(event.target)
    const isUsed =
      role === 'tab' ? moveTab(event.target, event.key) : role === 'treeitem' && move(event.target, event.key)
    if (isUsed) event.preventDefault()
  })
  const moveTab = (from: HTMLElement, key: string): boolean => {
    const place = tabs.indexOf(from as HTMLAnchorElement)
    const places: Record<string, number> = {
      ArrowRight: (place + 1) % tabs.length,
      ArrowLeft: (place + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
      ' ': place,
    }
    const next = tabs[places[key] ?? -1]
    if (!next) return false
    next.focus()
    next.click()
    return true
  }

  const save = () => {
    keepScroll()
    const views: ColumnState['views'] = {}
    for (const [view, panel] of panels) {
      const isBroken = isBusy(panel) || panel.querySelector(':scope > p > button')
      const html = panel.childElementCount > 0 && !isBroken ? panel.innerHTML : (savedViews[view]?.html ?? '')
      if (html !== '' && html.length <= MAX_KEPT) views[view] = { html, scroll: savedViews[view]?.scroll ?? 0 }
    }
    write(key, { savedAt: Date.now(), views } satisfies ColumnState)
  }
  addEventListener('pagehide', save)

  select(tabs.find((tab) => tab.dataset['view'] === read('sessionStorage', 'column tab')) ?? tabs[0]!)
}

/** A part of a view, its addresses made absolute. */
async function load(address: string, part: string): Promise<Node[]> {
  const url = new URL(address)
  url.hash = ''
  url.searchParams.set('part', part)
  const answer = await fetch(url, { headers: { accept: 'text/html' } })
  if (!answer.ok) throw new Error(answer.statusText)
  const { body } = new DOMParser().parseFromString(await answer.text(), 'text/html')
  for (const link of body.querySelectorAll('a')) {
    link.setAttribute('href', new URL(link.getAttribute('href')!, url).href)
  }
  return [...body.childNodes]
}

/** Makes a view that was loaded or kept ready for the keyboard. */
function prepare(panel: HTMLElement): void {
  for (const item of itemsOf(panel)) {
    item.tabIndex = -1
    let level = 0
    for (let list = item.closest('ul'); list; list = list.parentElement!.closest('ul')) level++
    item.setAttribute('aria-level', String(level))
  }
}

/** One item of a tree takes the focus of the Tab key. */
function focusable(panel: HTMLElement, item: HTMLElement | undefined): void {
  const items = itemsOf(panel)
  for (const treeItem of items) if (treeItem.tabIndex === 0) treeItem.tabIndex = -1
  const first = item ?? items[0]
  if (first && ariaRole(first) === 'treeitem') first.tabIndex = 0
  // A view without links must be in reach of the keyboard to be scrolled.
  else if (!panel.querySelector('a')) panel.tabIndex = 0
}

function itemsOf(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>('[role=treeitem]')]
}

function isVisible(item: HTMLElement): boolean {
  for (let above = parentOf(item); above; above = parentOf(above)) if (isOpen(above) === false) return false
  return true
}

// Not by the properties of the same names, which some browsers in use do not have.
function ariaRole(element: Element): string | null {
  return element.getAttribute('role')
}

/** Undefined if nothing is below the item. */
function isOpen(item: Element): boolean | undefined {
  const value = item.getAttribute('aria-expanded')
  return value === null ? undefined : value === 'true'
}

function setOpen(item: Element, open: boolean): void {
  item.setAttribute('aria-expanded', String(open))
}

function isBusy(element: Element): boolean {
  return element.hasAttribute('aria-busy')
}

function setBusy(element: Element, busy: boolean): void {
  if (busy) element.setAttribute('aria-busy', 'true')
  else element.removeAttribute('aria-busy')
}

/** The item above another one. */
function parentOf(item: HTMLElement): HTMLElement | null | undefined {
  return item.closest('[role=group]')?.parentElement?.querySelector<HTMLElement>(':scope > [role=treeitem]')
}

function childrenOf(item: HTMLElement): HTMLElement | null {
  return item.parentElement!.querySelector<HTMLElement>(':scope > [role=group]')
}

function uriOf(link: HTMLAnchorElement): string | null {
  return /\/concept$/.test(link.pathname) ? new URL(link.href).searchParams.get('uri') : null
}

async function toggle(item: HTMLElement): Promise<void> {
  if (isOpen(item)) setOpen(item, false)
  else await openItem(item)
}

/** Opens an item; loads what is below it if it is not there yet. */
async function openItem(item: HTMLElement): Promise<void> {
  const panel = item.closest<HTMLElement>('[role=tabpanel]')!
  if (!childrenOf(item)) {
    if (isBusy(item)) return
    setBusy(item, true)
    try {
      const tab = document.querySelector<HTMLAnchorElement>(`#tab-${panel.dataset['view']}`)!
      const url = new URL(tab.href)
      url.searchParams.delete('at')
      url.searchParams.set('uri', uriOf(item as HTMLAnchorElement)!)
      item.parentElement!.append(...(await load(url.href, 'branch')))
      withoutCircles(item)
      prepare(panel)
    } catch {
      return
    } finally {
      setBusy(item, false)
    }
  }
  setOpen(item, true)
}

/** An item that is also above itself cannot be opened again (cycles of skos:broader). */
function withoutCircles(item: HTMLElement): void {
  const above = new Set<string | null>()
  for (let ancestor: HTMLElement | null | undefined = item; ancestor; ancestor = parentOf(ancestor))
    above.add(uriOf(ancestor as HTMLAnchorElement))
  for (const child of itemsOf(childrenOf(item)!)) {
    if (!above.has(uriOf(child as HTMLAnchorElement))) continue
    child.removeAttribute('aria-expanded')
    child.nextElementSibling?.remove()
  }
}

/** Puts the next items of a level in place of the link to them. */
async function more(link: HTMLAnchorElement): Promise<void> {
  const panel = link.closest<HTMLElement>('[role=tabpanel]')!
  const place = link.parentElement!
  if (isBusy(link)) return
  setBusy(link, true)
  try {
    const [list] = await load(link.href, 'branch')
    const items = [...(list as Element).children]
    const knownHrefs = new Set(
      [...place.parentElement!.querySelectorAll(':scope > li > a')].map((itemLink) => itemLink.getAttribute('href')),
    )
    // An item on the path to the page is at the beginning already.
    const added = items.filter(
      (candidate) => !knownHrefs.has(candidate.querySelector(':scope > a')!.getAttribute('href')),
    )
    const hadFocus = document.activeElement === link
    place.replaceWith(...added)
    prepare(panel)
    const first = added[0]?.querySelector<HTMLElement>(':scope > a')
    if (!first) return focusable(panel, undefined)
    if (link.tabIndex === 0) focusable(panel, first)
    if (hadFocus) first.focus()
  } catch {
    setBusy(link, false)
  }
}

/** Opens in a new tree what is open in the old one. */
function keepOpen(old: Element, next: Element): void {
  const itemByHref = new Map(
    [...next.querySelectorAll<HTMLElement>(':scope > li > a')].map((item) => [item.getAttribute('href'), item]),
  )
  for (const item of old.querySelectorAll<HTMLElement>(':scope > li > a')) {
    const group = childrenOf(item)
    const same = itemByHref.get(item.getAttribute('href'))
    if (!group || !same || isOpen(same) === undefined) continue
    const loaded = childrenOf(same)
    if (loaded) keepOpen(group, loaded)
    else {
      same.parentElement!.append(group.cloneNode(true))
      setOpen(same, isOpen(item) === true)
    }
  }
}

const typeAhead = new TypeAhead()

/** Moves through a tree by a key; false if the key means nothing here. */
function move(item: HTMLElement, key: string): boolean {
  const panel = item.closest<HTMLElement>('[role=tabpanel]')!
  const visible = itemsOf(panel).filter(isVisible)
  const place = visible.indexOf(item)
  const go = (next: HTMLElement | null | undefined): true => {
    if (next) {
      focusable(panel, next)
      next.focus()
    }
    return true
  }
  const next = moveTo(key, visible, place)
  if (next !== false) return go(next)
  switch (key) {
    case 'ArrowRight':
      if (isOpen(item)) return go(childrenOf(item)?.querySelector<HTMLElement>('[role=treeitem]'))
      if (isOpen(item) === false) void openItem(item)
      return true
    case 'ArrowLeft':
      if (isOpen(item)) setOpen(item, false)
      else go(parentOf(item))
      return true
    case ' ':
      item.click()
      return true
  }
  if ([...key].length !== 1) return false
  const namesOf = (candidate: HTMLElement) => [
    candidate.textContent,
    candidate.querySelector('bdi:not(.notation)')?.textContent ?? '',
  ]
  return go(typeAhead.find([key, Date.now()], visible, place, namesOf))
}

/** Stores a value for as long as the tab is open. If the storage is full, the column starts afresh on the next page. */
function write(key: string, value: unknown): void {
  if (keep('sessionStorage', key, value)) return
  try {
    for (const storageKey of Object.keys(sessionStorage))
      if (storageKey.startsWith('column ')) sessionStorage.removeItem(storageKey)
  } catch {
    // The browser refuses to keep anything.
  }
}
