import type { RequestHandler } from 'express'
import type { Config } from '../config.ts'
import { malformed, queryOf, readPage, readParameters, requireIris } from '../http/parameters.ts'
import { sendList } from '../http/send.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { once } from '../read/pieces.ts'
import { chooseRepresentation, REPRESENTATIONS } from '../read/representations.ts'
import { activityEndpoints } from './activity.ts'
import { changes } from './changes.ts'
import { requireHistory } from './followed-vocabulary.ts'
import type { Change } from './log.ts'
import type { HistoryDependencies } from './past.ts'
import { toFields, versionsOf } from './versions.ts'

/** Versions on a page unless the request says otherwise. */
const PAGE = 100

/** The endpoints of the history by path (docs/interface.md, "History"). */
export function historyEndpoints(dependencies: HistoryDependencies, config: Config): [path: string, RequestHandler][] {
  const { revalidation, answers } = dependencies
  const forms = REPRESENTATIONS.filter(({ extension }) => ['json', 'ndjson'].includes(extension))

  const versions: RequestHandler = async (request, response) => {
    response.vary('Accept')
    const history = requireHistory(dependencies)
    const parameters = readParameters(queryOf(request), ['uri', 'limit', 'offset', 'format'])
    const format = parameters.get('format')
    const asked = format === undefined ? undefined : { name: 'format', value: format }
    const representation = chooseRepresentation(forms, request, asked)
    await sendList(request, response, { revalidation, answers, config, representation }, async () => {
      const [uri, ...others] = requireIris(parameters, 'uri')
      if (others.length > 0) throw malformed('uri: expected one URI')
      const page = readPage(parameters, config.maxLimit, Math.min(PAGE, config.maxLimit))
      const found = await versionsOf(history, uri!, page)
      return { total: found.total, page, records: once(found.changes.map(toVersion)) }
    })
  }

  return [
    ['/history', versions],
    ['/voc/:vocid/changes', changes(dependencies, config)],
    ...activityEndpoints(dependencies, config),
  ]
}

/** A change for clients, its statements as fields of records. It leaves out the account, whose name is half of a login. */
function toVersion({ uri, kind, time, cause, graph, before, after, removed, added }: Change): JskosRecord {
  return {
    uri,
    kind,
    date: time,
    voc: graph,
    by: cause.by,
    ...(cause.files ? { files: cause.files } : {}),
    ...(before ? { before } : {}),
    ...(after ? { after } : {}),
    ...(removed && added ? { removed: toFields(uri, removed), added: toFields(uri, added) } : {}),
  }
}
