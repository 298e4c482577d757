/** Buttons that copy an address or a citation. */
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('button[data-copy]') : null
  if (!button) return
  const { copy = '', copied = '' } = button.dataset
  const say = () => {
    const before = button.textContent
    if (before === copied) return
    button.textContent = copied
    button.setAttribute('aria-live', 'polite')
    setTimeout(() => (button.textContent = before), 2000)
  }
  // Without TLS there is no clipboard, and a browser may refuse to write to it.
  void (navigator.clipboard as Clipboard | undefined)?.writeText(copy).then(say, () => undefined)
})
