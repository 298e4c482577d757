/**
 * The tree fetches narrower concepts when the reader opens a concept, and moves by the keys of the tree in the column
 * (ARIA Authoring Practices Guide, "Tree View", Keyboard Interaction).
 */

import { moveTo } from '../../picker/roving.ts'

/** The links of concepts. */
const ITEMS = '.tree li > a'

document.addEventListener('keydown', (event) => {
  const item = event.target instanceof Element ? event.target.closest('.tree li') : null
  if (!item || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const next = itemAt(event.key, item)
  if (next === undefined) return
  event.preventDefault()
  next?.focus()
})

/** The link that a key moves to from an item; null if the key opens the item, undefined if it does nothing. */
function itemAt(key: string, item: Element): HTMLElement | null | undefined {
  const link = item.querySelector<HTMLElement>(':scope > a')
  const details = item.querySelector<HTMLDetailsElement>(':scope > details')
  if (key === 'ArrowRight' && details) {
    if (details.open) return details.querySelector<HTMLElement>('li > a')
    details.open = true
    return null
  }
  if (key === 'ArrowLeft') {
    if (!details?.open) return item.parentElement!.closest('li')?.querySelector<HTMLElement>(':scope > a')
    details.open = false
    return link
  }
  const links = [...document.querySelectorAll<HTMLElement>(ITEMS)].filter((each) => each.checkVisibility())
  return moveTo(key, links, links.indexOf(link!)) || undefined
}

document.addEventListener(
  'toggle',
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.open) return
    const link = target.querySelector<HTMLAnchorElement>(':scope > p > a[data-below]')
    if (link) void replace(link.parentElement!, link.href, (list) => [withoutCircles(list, target)])
  },
  true,
)

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-more]') : null
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const item = link.parentElement!
  const before = item.previousElementSibling
  void replace(item, link.href, (list) =>
    [...list.children].filter((element) => !element.querySelector(':scope > a[rel=prev]')),
  ).then(() => before?.nextElementSibling?.querySelector('a')?.focus())
})

/**
 * The narrower concepts of a concept as a list; concepts that are also above it cannot be opened again (cycles of
 * skos:broader).
 */
function withoutCircles(list: Element, below: Element): Element {
  const address = (item: Element) => item.querySelector(':scope > a')?.getAttribute('href')
  const above = new Set<string | null | undefined>()
  for (let item = below.closest('li'); item; item = item.parentElement!.closest('li')) above.add(address(item))
  for (const item of list.children) {
    if (above.has(address(item))) item.querySelector(':scope > details')?.remove()
  }
  return list
}

/** Replaces an element with content from an address; if that fails, opens the address. */
async function replace(element: Element, address: string, choose: (list: Element) => Element[]): Promise<void> {
  // Not by the property of the same name, which some browsers in use do not have.
  if (element.hasAttribute('aria-busy')) return
  const url = new URL(address)
  url.hash = ''
  url.searchParams.set('part', 'below')
  element.setAttribute('aria-busy', 'true')
  try {
    const answer = await fetch(url)
    if (!answer.ok) throw new Error(answer.statusText)
    const list = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('ul')
    if (!list) throw new Error('no list')
    element.replaceWith(...choose(list))
  } catch {
    element.removeAttribute('aria-busy')
    location.assign(address)
  }
}
