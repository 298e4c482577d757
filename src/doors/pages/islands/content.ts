/** Remembers the language of the content that the reader has chosen, for pages whose address names none. */

import { keep, readStored } from '../browser-storage.ts'

const KEY = 'content language'

document.addEventListener('click', ({ target }) => {
  const link = target instanceof Element ? target.closest<HTMLElement>('a[data-clang]') : null
  if (link) keep('localStorage', KEY, link.dataset['clang'])
})

const language = new URL(location.href).searchParams.has('clang') ? undefined : readStored<string>('localStorage', KEY)
if (language) {
  const link = document.querySelector<HTMLAnchorElement>(`.content-languages a[data-clang="${CSS.escape(language)}"]`)
  if (link && !link.hasAttribute('aria-current')) location.replace(link.href + location.hash)
}
