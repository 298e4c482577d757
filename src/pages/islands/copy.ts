/** Buttons that copy an address or a citation. */
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('button[data-copy]') : null
  if (!button) return
  void navigator.clipboard.writeText(button.dataset['copy']!).then(() => {
    const before = button.textContent
    button.textContent = button.dataset['copied']!
    button.setAttribute('aria-live', 'polite')
    setTimeout(() => (button.textContent = before), 2000)
  })
})
