import type { RequestHandler } from 'express'
import { unavailable } from '../../base/errors.ts'
import { CONCEPT, CONCEPT_SCHEME } from '../../base/namespaces.ts'
import { malformed, queryOf, readIris, readParameters } from '../../interface/http/parameters.ts'
import { sendFile, type FileAnswer } from '../../interface/http/send.ts'
import { linkHeader } from '../../interface/http/web-links.ts'
import type { AnswerDependencies } from '../../interface/read/dependencies.ts'
import { landingPage } from '../../interface/read/landing-page.ts'
import { chooseRepresentation } from '../../interface/representations/representations.ts'
import { EXPORT_FORMATS, storedSource, type ExportSource } from './export.ts'
import { exportedConcept, vocabularyRecords } from './records.ts'
import { resourceSource } from './resource.ts'

/** The most exports under way: each holds a connection to the store until its client has read all. */
const MOST_AT_ONCE = 16

/**
 * GET /voc/{vocid}/export: a whole vocabulary or subset as a file, as `vocab export` writes it; with `uri` all that it
 * says about one resource (docs/interface.md, "Downloads").
 */
export function exportEndpoint(dependencies: AnswerDependencies): RequestHandler {
  const { config } = dependencies
  let underWay = 0
  return async (request, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(request), ['format', 'uri'])
    const format = chooseRepresentation(EXPORT_FORMATS, request, parameters)
    const uris = readIris(parameters, 'uri')
    if (uris.length > 1) throw malformed('uri: expected one IRI, got several')
    if (underWay >= MOST_AT_ONCE) {
      throw unavailable('Too many downloads are under way.')
    }
    const { mediaType, extension, write } = format
    const read = async (signal: AbortSignal): Promise<FileAnswer> => {
      const { uri, ids } = await dependencies.registry.require(String(request.params['vocid']))
      const [resource] = uris
      const source: ExportSource =
        resource === undefined
          ? {
              ...storedSource(dependencies.client, uri, { signal }),
              records: () => vocabularyRecords(dependencies, uri, signal),
            }
          : {
              ...resourceSource(dependencies, uri, resource, signal),
              records: () => exportedConcept(dependencies, { voc: uri, uri: resource }, signal),
            }
      const page = landingPage(
        resource === undefined ? { uri, type: [CONCEPT_SCHEME], notation: ids } : { uri: resource, type: [CONCEPT] },
      )
      const relation = resource === undefined ? 'collection' : 'describes'
      const links = linkHeader([{ relation, href: config.baseUrl + page!, mediaType: 'text/html' }])
      if (links) response.setHeader('Link', links)
      const name = resource === undefined ? ids[0] : /[^/#:?=&]+$/.exec(resource)?.[0]
      return { chunks: write(source), fileName: `${name ?? 'vocabulary'}.${extension}` }
    }
    underWay++
    try {
      await sendFile(request, response, { ...dependencies, config, mediaType }, read)
    } finally {
      underWay--
    }
  }
}
