/** The SPARQL editor highlights queries and shows answers without leaving the page. The form also works without it. */
import { defaultKeymap, history as undoing, historyKeymap } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { sparql } from '@codemirror/legacy-modes/mode/sparql'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The page's colours are custom properties, which reach into the shadow tree. */
const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.string, tags.number], color: 'var(--code-text)' },
  { tag: [tags.atom, tags.meta], color: 'var(--code-name)' },
])

const LOOK = EditorView.theme({
  '&': { height: '100%', fontSize: '0.86rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': { color: 'var(--quiet)', backgroundColor: 'var(--raised)', borderColor: 'var(--line)' },
})

function edit(textarea: HTMLTextAreaElement, form: HTMLFormElement): void {
  const host = document.createElement('div')
  host.className = 'editor'
  textarea.before(host)
  // In a shadow tree the editor needs no style elements, which the page's security policy forbids.
  const root = host.attachShadow({ mode: 'open' })
  const label = form.querySelector('label')!
  const run = () => {
    form.requestSubmit()
    return true
  }
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: textarea.value,
      extensions: [
        lineNumbers(),
        undoing(),
        bracketMatching(),
        StreamLanguage.define(sparql),
        syntaxHighlighting(COLOURS),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label.textContent }),
        // Tab moves on to the button, so that keyboard users can leave the editor.
        keymap.of([{ key: 'Mod-Enter', run }, ...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) textarea.value = state.doc.toString()
        }),
        LOOK,
      ],
    }),
  })
  textarea.hidden = true
  label.addEventListener('click', () => view.focus())
  if (new URL(form.action).origin === location.origin) form.addEventListener('submit', (event) => submit(event, form))
}

/** Fetches the page with the answer and puts the answer into the current page. */
function submit(event: SubmitEvent, form: HTMLFormElement): void {
  event.preventDefault()
  const url = new URL(form.action)
  url.search = new URLSearchParams(
    [...new FormData(form)].map(([name, value]): [string, string] => [name, value as string]),
  ).toString()
  const result = document.querySelector('#result')!
  result.setAttribute('aria-busy', 'true')
  void fetch(url, { headers: { accept: 'text/html' } })
    .then(async (answer) => {
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      result.replaceChildren(...page.querySelector('#result')!.childNodes)
      result.removeAttribute('aria-busy')
      history.pushState(null, '', url)
      shown = location.search
    })
    .catch(() => form.submit())
}

let shown = location.search
// A link within the page has the same query.
addEventListener('popstate', () => {
  if (location.search !== shown) location.reload()
})

const textarea = document.querySelector<HTMLTextAreaElement>('textarea[data-editor]')
if (textarea?.form) edit(textarea, textarea.form)
