import { OutLink } from './label.tsx'
import { link, useRequest } from './page-request.ts'

/** The way to report a mistake in something; nothing if the operator has given no address. */
export function ReportLink({ uri, name }: { uri: string; name: string }) {
  const request = useRequest()
  const { texts, dependencies } = request
  const { contact } = dependencies.config.site
  if (contact === undefined) return null
  if (dependencies.sendFeedback) {
    return (
      <p>
        <a class="view" href={link(request, 'feedback', { uri })}>
          {texts.feedback.report}
        </a>
      </p>
    )
  }
  if (!contact.startsWith('mailto:')) {
    return (
      <p>
        <OutLink href={contact}>{texts.feedback.report}</OutLink>
      </p>
    )
  }
  const query = `subject=${encodeURIComponent(`${texts.feedback.subject}: ${name}`)}&body=${encodeURIComponent(`${uri}\n\n`)}`
  return (
    <p>
      <a class="view" href={`${contact}?${query}`}>
        {texts.feedback.report}
      </a>
    </p>
  )
}

/** The way to propose a concept of a vocabulary; nothing if the service accepts none. */
export function ProposeLink({ voc }: { voc: string | undefined }) {
  const request = useRequest()
  if (voc === undefined || !request.dependencies.ingest) return null
  return (
    <p>
      <a class="view" href={link(request, 'propose', { voc })}>
        {request.texts.propose.title}
      </a>
    </p>
  )
}
