/**
 * The form for new concepts: checks during typing, looks for existing concepts, shows the JSON, and sends it to
 * POST /ingest. The browser keeps the account only if its owner wishes it. All texts from elsewhere become text nodes.
 */

import { keep, readStored } from '../browser-storage.ts'

interface Words {
  already: string
  isMissing: string
  isNoUri: string
  stored: string
  failed: string
}

const PAUSE_MS = 250
const KEY = 'vocabulary-service-account'

const form = document.querySelector<HTMLFormElement>('#propose')
if (form) begin(form)

function begin(form: HTMLFormElement): void {
  const words = JSON.parse(form.dataset['texts']!) as Words
  const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement
  const text = (name: string) => field(name).value.trim()
  const part = (id: string) => form.querySelector<HTMLElement>(`#${id}`)!
  const name = field('prefLabel-de')
  const button = form.querySelector('button')!
  const isKept = field('keep')
  let waiting: ReturnType<typeof setTimeout> | undefined
  let search = new AbortController()

  const identifiers = () => text('identifier').split(/\s+/).filter(Boolean)
  const concept = () => {
    const inGerman = (value: string) => (value === '' ? undefined : { de: [value] })
    const alternatives = text('altLabel-de')
      .split(';')
      .map((alternative) => alternative.trim())
      .filter(Boolean)
    return {
      inScheme: [{ uri: text('voc') }],
      prefLabel: { de: text('prefLabel-de'), en: text('prefLabel-en') || undefined },
      altLabel: alternatives.length > 0 ? { de: alternatives } : undefined,
      definition: inGerman(text('definition-de')),
      scopeNote: inGerman(text('scopeNote-de')),
      identifier: identifiers().length > 0 ? identifiers() : undefined,
    }
  }
  const check = () => {
    name.setCustomValidity(text('prefLabel-de') === '' ? words.isMissing : '')
    const wrong = identifiers().find((identifier) => !/^[a-z][a-z0-9+.-]*:\S+$/i.test(identifier))
    field('identifier').setCustomValidity(wrong === undefined ? '' : `${words.isNoUri} ${wrong}`)
    for (const input of [name, field('identifier')]) {
      if (input.value !== '' || input.getAttribute('aria-invalid'))
        input.setAttribute('aria-invalid', String(!input.validity.valid))
    }
    part('json').textContent = JSON.stringify([concept()], null, 2)
  }
  const lookFor = async () => {
    search.abort()
    search = new AbortController()
    const already = part('already')
    if (text('prefLabel-de').length < 2) return already.replaceChildren()
    const url = new URL(form.dataset['search']!, location.href)
    url.search = new URLSearchParams({
      search: text('prefLabel-de'),
      voc: text('voc'),
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
        link.textContent = prefLabel?.['de'] ?? Object.values(prefLabel ?? {})[0] ?? uri
        if (index > 0) already.append(', ')
        already.append(link)
      }
    } catch {
      // A failed search must not disturb the writer.
    }
  }
  const say = (message: string, more: readonly string[] = []) => {
    const outcome = part('outcome')
    const line = document.createElement('p')
    line.className = 'notice'
    line.textContent = message
    const list = document.createElement('ul')
    list.append(
      ...more.map((itemText) => {
        const item = document.createElement('li')
        item.textContent = itemText
        return item
      }),
    )
    outcome.replaceChildren(line, ...(more.length > 0 ? [list] : []))
  }
  const send = async () => {
    const data = JSON.stringify([concept()])
    const body = JSON.stringify([{ username: text('username'), token: text('token'), data }])
    const headers = {
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID?.() ?? String(Math.random()),
    }
    const answer = await fetch(form.dataset['ingest']!, { method: 'POST', body, headers })
    const result = (await answer.json()) as { message?: string; violations?: { path: string; message: string }[] }
    if (answer.status !== 201) {
      return say(
        result.message ?? words.failed,
        result.violations?.map(({ path, message }) => `${path}: ${message}`),
      )
    }
    const [{ uri } = { uri: '' }] = result as unknown as { uri: string }[]
    say(words.stored)
    const link = document.createElement('a')
    const address = new URL(form.dataset['concept']!, location.href)
    address.searchParams.set('uri', uri)
    link.href = address.href
    link.textContent = uri
    part('outcome').querySelector('p')!.append(' ', link)
  }

  const account = readStored<{ username: string; token: string }>('localStorage', KEY)
  if (account) {
    field('username').value = account.username
    field('token').value = account.token
    isKept.checked = true
  }
  form.addEventListener('input', () => {
    check()
    keep('localStorage', KEY, isKept.checked ? { username: text('username'), token: text('token') } : undefined)
    clearTimeout(waiting)
    waiting = setTimeout(() => void lookFor(), PAUSE_MS)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    button.disabled = true
    void send()
      .catch(() => say(words.failed))
      .finally(() => (button.disabled = false))
  })
  check()
  // Without the listener above, the browser would put the account into the address.
  button.disabled = false
}
