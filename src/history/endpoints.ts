import type { RequestHandler } from 'express'
import type { Config } from '../config.ts'
import { malformed, queryOf, readPage, readParameters, requireIris } from '../http/parameters.ts'
import { sendList } from '../http/send.ts'
import { frameNodes } from '../jskos/frame.ts'
import { CONCEPT_DEFAULT, readProperties } from '../jskos/properties.ts'
import { conceptRecord, type JskosRecord } from '../jskos/record.ts'
import { chooseRepresentation, REPRESENTATIONS } from '../read/representations.ts'
import { readNTriples } from '../sparql/ntriples.ts'
import { changes } from './changes.ts'
import { requireHistory } from './followed.ts'
import type { Change } from './log.ts'
import type { HistoryDependencies } from './past.ts'
import { toNTriples } from './resources.ts'

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
      await history.follow(uri!)
      const found = page.limit === 0 ? [] : await history.log.changesOf(uri!, page)
      const total = await history.log.countChangesOf(uri!)
      return { total, page, records: one(found.map(toVersion)) }
    })
  }

  return [
    ['/history', versions],
    ['/voc/:vocid/changes', changes(dependencies, config)],
  ]
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* one(records: JskosRecord[]): AsyncGenerator<JskosRecord[]> {
  yield records
}

/** A change as it is sent: what went and came is in the fields of records. The account stays here: its name is half of its login. */
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

const ALL = readProperties('*', CONCEPT_DEFAULT)

/** Statements of a resource in the fields of JSKOS, without those that every record has. */
function toFields(uri: string, statements: string[]): JskosRecord {
  const node = frameNodes(readNTriples(toNTriples({ uri, statements })))(uri)
  if (!node) return {}
  const record = conceptRecord(node, false, { properties: ALL, languages: undefined, preferred: [], contextUrl: '' })
  const isSaid = ([name, value]: [string, unknown]) =>
    !['uri', 'type', '@context'].includes(name) && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(record).filter(isSaid))
}
