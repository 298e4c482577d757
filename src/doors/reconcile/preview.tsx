import { createHash } from 'node:crypto'
import { renderToString } from 'preact-render-to-string'
import { inLanguage, nameOf } from '../../graph/jskos/names.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { shorten } from '../../base/unicode.ts'
import { PREVIEW } from './manifest.ts'

/** The fields that a preview shows. */
export const PREVIEW_FIELDS = 'prefLabel,altLabel,notation,inScheme,ancestors,definition,scopeNote'

const STYLE = `
body { margin: 0; padding: 0.5rem 0.75rem; font: 0.85rem/1.35 system-ui, sans-serif; color: #1a1a1a; background: #fff; }
h1 { font-size: 1.05rem; margin: 0 0 0.15rem; }
p { margin: 0.2rem 0; }
.notation { font-weight: normal; color: #555; }
.small { color: #555; font-size: 0.9em; }
a { color: inherit; }
`

/** A preview loads nothing, and any site may frame it (Content Security Policy Level 3). */
export const PREVIEW_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`

/** The length of a text that fits into the frame. */
const MAX_TEXT = 300

/** One concept as a page for a small frame (0.2, section 5). */
export function previewPage(record: JskosRecord, address: string, preferred: readonly string[]): string {
  const { width, height } = PREVIEW
  const { language } = inLanguage(record.prefLabel, preferred) ?? {}
  return `<!DOCTYPE html>\n${renderToString(
    <html lang={language === 'und' ? undefined : language}>
      <head>
        <meta charset="utf-8" />
        <title>{nameOf(record, preferred)}</title>
        <meta name="viewport" content={`width=${width}, height=${height}`} />
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        <Preview record={record} address={address} preferred={preferred} />
      </body>
    </html>,
  )}\n`
}

/** The same for inclusion in another page with its own style (0.2, section 6.5). */
export function previewFragment(record: JskosRecord, address: string, preferred: readonly string[]): string {
  return renderToString(<Preview record={record} address={address} preferred={preferred} />)
}

interface PreviewProperties {
  record: JskosRecord
  /** The address of the concept's page. */
  address: string
  preferred: readonly string[]
}

function Preview({ record, address, preferred }: PreviewProperties) {
  const { inScheme = [], ancestors = [], definition, scopeNote, altLabel } = record
  const texts = (map: Record<string, string[]> | undefined) => inLanguage(map, preferred)?.value ?? []
  const notation = record.notation?.join(', ')
  const path = [...inScheme.slice(0, 1), ...ancestors.toReversed()].map((item) => nameOf(item, preferred))
  const note = texts(definition)[0] ?? texts(scopeNote)[0]
  const altLabels = texts(altLabel)
  return (
    <>
      <h1>
        {notation ? <span class="notation">{notation} </span> : null}
        <a href={address} target="_blank" rel="noopener">
          {nameOf(record, preferred)}
        </a>
      </h1>
      <p class="small">{path.join(' › ')}</p>
      {altLabels.length > 0 ? <p>{shorten(altLabels.join('; '), MAX_TEXT)}</p> : null}
      {note ? <p>{shorten(note, MAX_TEXT)}</p> : null}
    </>
  )
}
