/**
 * The form for new concepts: checks during typing, looks for existing concepts, and shows the JSON. The browser keeps
 * the account only if its owner wishes it. All texts from elsewhere become text nodes.
 */

import { keep, readStored } from '../browser-storage.ts'
import { nameField, proposedConcept, wrongIdentifier } from '../proposed-concept.ts'

interface Words {
  already: string
  isMissing: string
  isNoUri: string
}

const PAUSE_MS = 250
const KEY = 'vocabulary-service-account'

const form = document.querySelector<HTMLFormElement>('#propose')
if (form) begin(form)

function begin(form: HTMLFormElement): void {
  const words = JSON.parse(form.dataset['texts']!) as Words
  const voc = form.dataset['voc']!
  const languages = form.dataset['languages']!.split(' ')
  const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement
  const text = (name: string) => field(name).value.trim()
  const part = (id: string) => form.querySelector<HTMLElement>(`#${id}`)!
  const name = field(nameField(languages[0]!))
  const button = form.querySelector('button')!
  const isKept = field('keep')
  let waiting: ReturnType<typeof setTimeout> | undefined
  let search = new AbortController()

  const check = () => {
    name.setCustomValidity(name.value.trim() === '' ? words.isMissing : '')
    const wrong = wrongIdentifier(text('identifier'))
    field('identifier').setCustomValidity(wrong === undefined ? '' : `${words.isNoUri} ${wrong}`)
    part('json').textContent = JSON.stringify([proposedConcept(voc, languages, text)], null, 2)
  }
  const lookFor = async () => {
    search.abort()
    search = new AbortController()
    const already = part('already')
    if (name.value.trim().length < 2) return already.replaceChildren()
    const url = new URL(form.dataset['search']!, location.href)
    url.search = new URLSearchParams({
      search: name.value.trim(),
      voc,
      limit: '3',
      properties: 'prefLabel',
    }).toString()
    try {
      const concepts = (await (await fetch(url, { signal: search.signal })).json()) as unknown
      already.replaceChildren()
      if (!Array.isArray(concepts) || concepts.length === 0) return
      already.append(`${words.already} `)
      for (const [index, { uri, prefLabel }] of (
        concepts as { uri: string; prefLabel?: Record<string, string> }[]
      ).entries()) {
        const link = document.createElement('a')
        const address = new URL(form.dataset['concept']!, location.href)
        address.searchParams.set('uri', uri)
        link.href = address.href
        link.textContent = prefLabel?.[languages[0]!] ?? Object.values(prefLabel ?? {})[0] ?? uri
        if (index > 0) already.append(', ')
        already.append(link)
      }
    } catch {
      // A failed search must not disturb the writer.
    }
  }

  const account = readStored<{ username: string; token: string }>('localStorage', KEY)
  if (account) {
    if (field('username').value === '') field('username').value = account.username
    field('token').value = account.token
    isKept.checked = true
  }
  for (const id of ['keep', 'shown']) part(id).hidden = false
  form.addEventListener('input', ({ target }) => {
    check()
    const input = target as HTMLInputElement
    if (input === name || input === field('identifier'))
      input.setAttribute('aria-invalid', String(!input.validity.valid))
    keep('localStorage', KEY, isKept.checked ? { username: text('username'), token: text('token') } : undefined)
    clearTimeout(waiting)
    waiting = setTimeout(() => void lookFor(), PAUSE_MS)
  })
  form.addEventListener('submit', () => (button.disabled = true))
  // The browser may show the page again as it was left.
  addEventListener('pageshow', () => (button.disabled = false))
  check()
}
