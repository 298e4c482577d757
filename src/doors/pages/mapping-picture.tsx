import { formatNumber } from './format.tsx'
import { UriText } from './label.tsx'
import { schemeName } from './mapped-elsewhere.ts'
import { link, useRequest } from './page-request.ts'
import type { MappedSchemes } from './vocabulary-statistics.ts'
import { localVocabulary, VocabularyLink } from './vocabulary-heading.tsx'

/** Vocabularies on each side. */
const MOST = 8
/** The height of a row in the style sheet, in rem. */
const ROW = 2
/** The width of the thickest line, in pixels. */
const THICKEST = 12

/**
 * The sources and targets of the mappings of a vocabulary, as lists with lines whose thickness shows the number of
 * mappings; nothing if there are none.
 */
export function MappingPicture({
  name,
  path,
  from,
  to,
}: MappedSchemes & {
  name: string
  /** The path of the page of the vocabulary. */
  path: string
}) {
  const { texts } = useRequest()
  if (from.length + to.length === 0) return null
  const most = Math.max(...[...from, ...to].map(({ count }) => count))
  return (
    <div class="mapped">
      {from.length > 0 ? (
        <>
          <Side title={texts.mappedFrom} schemes={from} side="from" path={path} />
          <Lines counts={from.slice(0, MOST).map(({ count }) => count)} most={most} side="from" />
        </>
      ) : null}
      <p aria-hidden="true">{name}</p>
      {to.length > 0 ? (
        <>
          <Lines counts={to.slice(0, MOST).map(({ count }) => count)} most={most} side="to" />
          <Side title={texts.mappedTo} schemes={to} side="to" path={path} />
        </>
      ) : null}
    </div>
  )
}

function Side({
  title,
  schemes,
  side,
  path,
}: {
  title: string
  schemes: MappedSchemes['to']
  side: 'from' | 'to'
  path: string
}) {
  const request = useRequest()
  const further = schemes.length - MOST
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {schemes.slice(0, MOST).map(({ uri, count }) => (
          <li>
            <Scheme uri={uri} />
            <span>
              <a
                href={link(request, `${path}/mappings`, { [side]: uri })}
                aria-label={request.texts.showMappings(formatNumber(request, count), count === 1)}
              >
                {formatNumber(request, count)}
              </a>
            </span>
          </li>
        ))}
      </ul>
      {further > 0 ? <p class="small">{request.texts.andMore(formatNumber(request, further))}</p> : null}
    </div>
  )
}

/** A line for each row of a list, to the middle of the other end. The lists give the same figures as text. */
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
      {counts.map((count, index) => {
        const [row, middle] = [(index + 0.5) * ROW, height / 2]
        const [start, end] = side === 'from' ? [row, middle] : [middle, row]
        return (
          <path
            d={`M0 ${start}C50 ${start} 50 ${end} 100 ${end}`}
            stroke-width={Math.max(1, Math.round(THICKEST * Math.sqrt(count / most)))}
            stroke-opacity="0.45"
            vector-effect="non-scaling-stroke"
          />
        )
      })}
    </svg>
  )
}

/** A vocabulary: a link to its page if this service has it, else its name if that is well-known. */
export function Scheme({ uri }: { uri: string }) {
  const request = useRequest()
  const vocabulary = localVocabulary(request, uri)
  if (vocabulary) return <VocabularyLink item={vocabulary} />
  const name = schemeName(uri, request.dependencies.config.dataDir)
  if (name === undefined) return <UriText uri={uri} />
  return (
    <span title={uri} lang="">
      {name}
    </span>
  )
}
