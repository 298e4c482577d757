import type { ComponentChild } from 'preact'
import type { PageRequest } from './page-request.ts'

/** The way to a page that has one other page above it. */
export function Crumbs({ asked, children }: { asked: PageRequest; children: ComponentChild }) {
  return (
    <nav class="crumbs" aria-label={asked.texts.breadcrumb}>
      <ol>
        <li>{children}</li>
      </ol>
    </nav>
  )
}
