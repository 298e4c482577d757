/**
 * Completes search input from GET /suggest (ARIA Authoring Practices Guide, "Combobox").
 * Enter without a choice searches, as it does without JavaScript.
 */

/** An answer as OpenSearch Suggestions 1.0 has it. */
type Suggestions = [query: string, labels: string[], descriptions: string[], uris: string[]]

const PAUSE_MS = 120
const LIMIT = 8

for (const input of document.querySelectorAll<HTMLInputElement>('input[data-suggest]')) complete(input)

function complete(input: HTMLInputElement): void {
  const list = document.createElement('ul')
  list.id = `${input.id}-options`
  list.className = 'options'
  list.hidden = true
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', input.dataset['suggestions']!)
  input.parentElement!.append(list)
  for (const [name, value] of [
    ['role', 'combobox'],
    ['aria-autocomplete', 'list'],
    ['aria-controls', list.id],
    ['aria-expanded', 'false'],
  ] as const) {
    input.setAttribute(name, value)
  }

  let uris: string[] = []
  let chosen = -1
  let waiting: ReturnType<typeof setTimeout> | undefined
  let search = new AbortController()

  const show = (isOpen: boolean) => {
    list.hidden = !isOpen
    input.setAttribute('aria-expanded', String(isOpen))
    if (!isOpen) choose(-1)
  }
  const choose = (position: number) => {
    chosen = position
    for (const [index, option] of [...list.children].entries()) {
      option.setAttribute('aria-selected', String(index === position))
    }
    if (position < 0) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', list.children[position]!.id)
  }
  const stop = () => {
    clearTimeout(waiting)
    search.abort()
  }
  const go = (index: number) => {
    const url = new URL(input.dataset['concept']!, location.href)
    url.searchParams.set('uri', uris[index]!)
    location.assign(url)
  }
  const ask = async () => {
    const text = input.value.trim()
    if (text === '') return show(false)
    search = new AbortController()
    const url = new URL(input.dataset['suggest']!, location.href)
    url.searchParams.set('search', text)
    url.searchParams.set('limit', String(LIMIT))
    const voc = input.form?.elements.namedItem('voc')
    if ((voc instanceof HTMLInputElement || voc instanceof HTMLSelectElement) && voc.value !== '') {
      url.searchParams.set('voc', voc.value)
    }
    try {
      const answer = await fetch(url, { signal: search.signal })
      if (!answer.ok) return show(false)
      const [, labels, descriptions, foundUris] = (await answer.json()) as Suggestions
      uris = foundUris
      list.replaceChildren(...labels.map((label, index) => option(`${list.id}-${index}`, label, descriptions[index])))
      show(foundUris.length > 0)
    } catch {
      // The reader went on typing, or the network failed: the form still works.
    }
  }

  input.addEventListener('input', () => {
    stop()
    waiting = setTimeout(() => void ask(), PAUSE_MS)
  })
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault()
      show(false)
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !list.hidden) {
      event.preventDefault()
      const count = uris.length + 1
      choose(((chosen + 1 + (event.key === 'ArrowDown' ? 1 : -1) + count) % count) - 1)
    } else if (event.key === 'Enter') {
      stop()
      if (chosen < 0) return
      event.preventDefault()
      go(chosen)
    }
  })
  input.addEventListener('blur', () => {
    stop()
    show(false)
  })
  // Runs before the click could take the focus away.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', (event) => {
    const index = [...list.children].findIndex(
      (optionElement) => event.target instanceof Node && optionElement.contains(event.target),
    )
    if (index >= 0) go(index)
  })
}

function option(id: string, label: string, description: string | undefined): HTMLLIElement {
  const item = document.createElement('li')
  item.id = id
  item.setAttribute('role', 'option')
  item.setAttribute('aria-selected', 'false')
  const name = document.createElement('bdi')
  name.textContent = label
  item.append(name)
  if (description) {
    const small = document.createElement('small')
    const text = document.createElement('bdi')
    text.textContent = description
    small.append(text)
    item.append(small)
  }
  return item
}
