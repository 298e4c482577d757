import { withQuery } from '../../interface/http/addresses.ts'
import { shorten } from '../../base/unicode.ts'
import type { Entry } from './ledger.ts'

/** A mail in plain text, without its recipients. */
export interface Mail {
  /** The same for every attempt, so that mail programs recognise a repeated mail (RFC 5322, section 3.6.4). */
  messageId: string
  subject: string
  text: string
}

const MAX_SUBJECT_LABEL = 80

/**
 * The mail to the editors about one ingest, in German and English.
 *
 * @param baseUrl public address of the service.
 */
export function composeMail(entry: Entry, baseUrl: string): Mail {
  const { id, time, username, scheme, voc, uris, labels, feedback, decision } = entry
  if (feedback) return feedbackMail(entry, feedback, baseUrl)
  if (decision) return decisionMail(entry, decision, baseUrl)
  const isSingle = uris.length === 1
  const what = isSingle
    ? shorten(oneLine(labels[0]!), MAX_SUBJECT_LABEL)
    : `${uris.length} neue Begriffe / ${uris.length} new concepts`
  const when = `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`
  const lines = [
    isSingle
      ? `In das Vokabular ${voc} (${scheme}) wurde ein neuer Begriff aufgenommen.`
      : `In das Vokabular ${voc} (${scheme}) wurden ${uris.length} neue Begriffe aufgenommen.`,
    `Aufgenommen von: ${oneLine(username)}`,
    `Zeit: ${when}`,
    '',
    isSingle
      ? `A new concept was added to the vocabulary ${voc} (${scheme}).`
      : `${uris.length} new concepts were added to the vocabulary ${voc} (${scheme}).`,
    `Added by: ${oneLine(username)}`,
    `Time: ${when}`,
    '',
  ]
  for (const [at, uri] of uris.entries()) {
    lines.push(
      `${isSingle ? '' : `${at + 1}. `}${oneLine(labels[at]!)}`,
      `   URI: ${uri}`,
      `   ${baseUrl}${withQuery('concept', { uri })}`,
      '',
    )
  }
  return {
    messageId: `<ingest-${id}@${new URL(baseUrl).hostname}>`,
    subject: isSingle ? `${voc}: ${what} (neuer Begriff / new concept)` : `${voc}: ${what}`,
    text: lines.join('\n'),
  }
}

/** The mail to a proposer about a decision. It does not name the editor, whose username is half of a login. */
function decisionMail(
  { id, time, scheme, voc, uris, labels }: Entry,
  { decision, reason }: NonNullable<Entry['decision']>,
  baseUrl: string,
): Mail {
  const isSingle = uris.length === 1
  const what = isSingle
    ? shorten(oneLine(labels[0]!), MAX_SUBJECT_LABEL)
    : `${uris.length} Begriffe / ${uris.length} concepts`
  const [german, english] = decision === 'accepted' ? ['angenommen', 'accepted'] : ['abgelehnt', 'refused']
  const lines = [
    `${isSingle ? 'Ihr Vorschlag' : 'Ihre Vorschläge'} für das Vokabular ${voc} (${scheme}): ${german}.`,
    `Your ${isSingle ? 'proposal' : 'proposals'} for the vocabulary ${voc} (${scheme}): ${english}.`,
    '',
    ...(reason === undefined ? [] : ['Begründung / reason:', ...quotedLines(reason), '']),
    `Zeit / time: ${time.slice(0, 10)} ${time.slice(11, 19)} UTC`,
    '',
    ...uris.flatMap((uri, at) => [
      `${isSingle ? '' : `${at + 1}. `}${oneLine(labels[at]!)}`,
      `   URI: ${uri}`,
      `   ${baseUrl}${withQuery('concept', { uri })}`,
      '',
    ]),
  ]
  return {
    messageId: `<decision-${id}@${new URL(baseUrl).hostname}>`,
    subject: `${voc}: ${what} (${german} / ${english})`,
    text: lines.join('\n'),
  }
}

/** The mail to the operator about a reader's report. The text of the reader stands in the body alone. */
function feedbackMail(
  { id, time, uris, labels }: Entry,
  { message, contact }: NonNullable<Entry['feedback']>,
  baseUrl: string,
): Mail {
  const [uri, label] = [uris[0]!, oneLine(labels[0]!)]
  const lines = [
    'Jemand meldet einen Fehler. / Somebody reports a mistake.',
    '',
    `${label}`,
    `   URI: ${uri}`,
    `   ${baseUrl}${withQuery('concept', { uri })}`,
    '',
    ...quotedLines(message),
    '',
    `Kontakt / contact: ${contact === '' ? '-' : oneLine(contact)}`,
    `Zeit / time: ${time.slice(0, 10)} ${time.slice(11, 19)} UTC`,
    '',
  ]
  return {
    messageId: `<feedback-${id}@${new URL(baseUrl).hostname}>`,
    subject: `Fehler / mistake: ${shorten(label, MAX_SUBJECT_LABEL)}`,
    text: lines.join('\n'),
  }
}

/** A text of a person as a quotation. */
function quotedLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => `> ${line.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')}`)
}

/** Text on one line, safe in a header, because labels and usernames come from outside. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
