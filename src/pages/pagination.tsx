import { link, type PageRequest } from './page-request.ts'
import { formatNumber } from './format.tsx'

/** A page of a list. */
export interface Part {
  offset: number
  limit: number
  total: number
}

/** Links to the other pages of a list; nothing if the list has only one page. */
export function Pagination({
  asked,
  part: { offset, limit, total },
  path,
  query,
  list,
  name = list?.name,
}: {
  asked: PageRequest
  part: Part
  path: string
  query: Readonly<Record<string, string | undefined>>
  /** The list, if it is not the only one of the page: its name, and the parameter for its offset, which is also its id. */
  list?: { name: string; parameter: string }
  /** The name of the list for screen readers, if there are other lists beside it. */
  name?: string | undefined
}) {
  const { texts } = asked
  if (total <= limit && offset === 0) return null
  const at = (to: number) => {
    const page = { ...query, [list?.parameter ?? 'offset']: to > 0 ? String(to) : undefined }
    return link(asked, path, page) + (list ? `#${list.parameter}` : '')
  }
  const last = Math.max(0, Math.floor((total - 1) / limit) * limit)
  const number = (value: number) => formatNumber(asked, value)
  return (
    <nav class="pages" aria-label={name === undefined ? texts.pages : `${texts.pages}: ${name}`}>
      {offset > 0 ? (
        <>
          <a href={at(0)}>{texts.firstPage}</a>
          <a rel="prev" href={at(Math.max(0, Math.min(offset - limit, last)))}>
            {texts.previousPage}
          </a>
        </>
      ) : null}
      <span>
        {texts.range(number(Math.min(offset + 1, total)), number(Math.min(offset + limit, total)), number(total))}
      </span>
      {offset + limit < total ? (
        <>
          <a rel="next" href={at(offset + limit)}>
            {texts.nextPage}
          </a>
          <a href={at(last)}>{texts.lastPage}</a>
        </>
      ) : null}
    </nav>
  )
}
