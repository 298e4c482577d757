/** Remembers the language of the content that the reader has chosen, for pages whose address names none. */

const KEY = 'content language'

document.addEventListener('click', ({ target }) => {
  const link = target instanceof Element ? target.closest<HTMLElement>('a[data-clang]') : null
  if (link) keep(link.dataset['clang']!)
})

const wanted = new URL(location.href).searchParams.has('clang') ? undefined : kept()
if (wanted) {
  const link = document.querySelector<HTMLAnchorElement>(`.content-languages a[data-clang="${CSS.escape(wanted)}"]`)
  if (link && !link.hasAttribute('aria-current')) location.replace(link.href + location.hash)
}

// A browser may refuse to keep anything.
function keep(tag: string): void {
  try {
    localStorage.setItem(KEY, tag)
  } catch {
    // The choice stays in the links.
  }
}

function kept(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined
  } catch {
    return undefined
  }
}
