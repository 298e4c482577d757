import { link, type PageRequest } from './page-request.ts'

/** The way to propose a concept of a vocabulary; nothing if the service accepts none. */
export function ProposeLink({ asked, voc }: { asked: PageRequest; voc: string | undefined }) {
  if (voc === undefined || !asked.dependencies.ingest) return null
  return (
    <p>
      <a class="view" href={link(asked, 'propose', { voc })}>
        {asked.texts.propose.title}
      </a>
    </p>
  )
}
