import { link, useRequest } from './page-request.ts'
import { formatNumber } from './format.tsx'

/** A page of a list. */
interface ListPart {
  offset: number
  limit: number
  total: number
}

/** Links to the other pages of a list; nothing if the list has only one page. */
export function Pagination({
  part: { offset, limit, total },
  path,
  query,
  list,
  name = list?.name,
}: {
  part: ListPart
  path: string
  query: Readonly<Record<string, string | undefined>>
  /**
   * The list, if it is not the only one of the page: its name, and the parameter for its offset, which is also its id.
   */
  list?: { name: string; parameter: string }
  /** The name of the list for screen readers, if there are other lists beside it. */
  name?: string | undefined
}) {
  const request = useRequest()
  const { texts } = request
  if (total <= limit && offset === 0) return null
  const addressOf = (to: number) => {
    const page = { ...query, [list?.parameter ?? 'offset']: to > 0 ? String(to) : undefined }
    return link(request, path, page) + (list ? `#${list.parameter}` : '')
  }
  const last = Math.max(0, Math.floor((total - 1) / limit) * limit)
  const number = (value: number) => formatNumber(request, value)
  return (
    <nav class="pages" aria-label={name === undefined ? texts.pages : `${texts.pages}: ${name}`}>
      {offset > 0 ? (
        <>
          <a href={addressOf(0)}>{texts.firstPage}</a>
          <a rel="prev" href={addressOf(Math.max(0, Math.min(offset - limit, last)))}>
            {texts.previousPage}
          </a>
        </>
      ) : null}
      <span>
        {texts.range(number(Math.min(offset + 1, total)), number(Math.min(offset + limit, total)), number(total))}
      </span>
      {offset + limit < total ? (
        <>
          <a rel="next" href={addressOf(offset + limit)}>
            {texts.nextPage}
          </a>
          <a href={addressOf(last)}>{texts.lastPage}</a>
        </>
      ) : null}
    </nav>
  )
}
