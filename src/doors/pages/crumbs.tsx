import type { ComponentChild } from 'preact'
import type { PageRequest } from './page-request.ts'

/** The way to a page that has one other page above it. */
export function Crumbs({ request, children }: { request: PageRequest; children: ComponentChild }) {
  return (
    <nav class="crumbs" aria-label={request.texts.breadcrumb}>
      <ol>
        <li>{children}</li>
      </ol>
    </nav>
  )
}
