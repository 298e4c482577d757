import { link, type PageRequest } from './page-request.ts'

/** The way to propose a concept of a vocabulary; nothing if the service accepts none. */
export function ProposeLink({ request, voc }: { request: PageRequest; voc: string | undefined }) {
  if (voc === undefined || !request.dependencies.ingest) return null
  return (
    <p>
      <a class="view" href={link(request, 'propose', { voc })}>
        {request.texts.propose.title}
      </a>
    </p>
  )
}
