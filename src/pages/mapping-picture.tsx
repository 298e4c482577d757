import { formatNumber } from './format.tsx'
import { UriText } from './label.tsx'
import { link, type PageRequest } from './page-request.ts'
import type { MappedSchemes } from './vocabulary-statistics.ts'
import { knownVocabulary, VocabularyLink } from './vocabulary-heading.tsx'

/** Vocabularies on each side. */
const MOST = 8
/** The height of a row in the style sheet, in rem. */
const ROW = 2
/** The width of the thickest line, in pixels. */
const THICKEST = 12

/** The vocabularies that map to a vocabulary, and those that it maps to: lists, and lines as thick as there are mappings; nothing if there are none. */
export function MappingPicture({
  asked,
  name,
  path,
  from,
  to,
}: MappedSchemes & {
  asked: PageRequest
  name: string
  /** The path of the page of the vocabulary. */
  path: string
}) {
  const { texts } = asked
  if (from.length + to.length === 0) return null
  const most = Math.max(...[...from, ...to].map(({ count }) => count))
  return (
    <div class="mapped">
      {from.length > 0 ? (
        <>
          <Side asked={asked} title={texts.mappedFrom} schemes={from} side="from" path={path} />
          <Lines counts={from.slice(0, MOST).map(({ count }) => count)} most={most} side="from" />
        </>
      ) : null}
      <p aria-hidden="true">{name}</p>
      {to.length > 0 ? (
        <>
          <Lines counts={to.slice(0, MOST).map(({ count }) => count)} most={most} side="to" />
          <Side asked={asked} title={texts.mappedTo} schemes={to} side="to" path={path} />
        </>
      ) : null}
    </div>
  )
}

function Side({
  asked,
  title,
  schemes,
  side,
  path,
}: {
  asked: PageRequest
  title: string
  schemes: MappedSchemes['to']
  side: 'from' | 'to'
  path: string
}) {
  const further = schemes.length - MOST
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {schemes.slice(0, MOST).map(({ uri, count }) => (
          <li>
            <Scheme asked={asked} uri={uri} />
            <span>
              <a
                href={link(asked, `${path}/mappings`, { [side]: uri })}
                aria-label={asked.texts.showMappings(formatNumber(asked, count), count === 1)}
              >
                {formatNumber(asked, count)}
              </a>
            </span>
          </li>
        ))}
      </ul>
      {further > 0 ? <p class="small">{asked.texts.andMore(formatNumber(asked, further))}</p> : null}
    </div>
  )
}

/** A line for each row of a list, to the middle of the other end. The lists say the same in words. */
function Lines({ counts, most, side }: { counts: readonly number[]; most: number; side: 'from' | 'to' }) {
  const height = counts.length * ROW
  return (
    <svg
      class={side}
      aria-hidden="true"
      height={`${height}rem`}
      viewBox={`0 0 100 ${height}`}
      preserveAspectRatio="none"
      fill="none"
      stroke="currentColor"
    >
      {counts.map((count, at) => {
        const [row, middle] = [(at + 0.5) * ROW, height / 2]
        const [left, right] = side === 'from' ? [row, middle] : [middle, row]
        return (
          <path
            d={`M0 ${left}C50 ${left} 50 ${right} 100 ${right}`}
            stroke-width={Math.max(1, Math.round(THICKEST * Math.sqrt(count / most)))}
            stroke-opacity="0.45"
            vector-effect="non-scaling-stroke"
          />
        )
      })}
    </svg>
  )
}

/** A vocabulary: a link to its page if this service has it. */
export function Scheme({ asked, uri }: { asked: PageRequest; uri: string }) {
  const known = knownVocabulary(asked, uri)
  return known ? <VocabularyLink asked={asked} item={known} /> : <UriText uri={uri} />
}
