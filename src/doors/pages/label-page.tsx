import { Hit } from './hit.tsx'
import { link, type PageRequest, publicUrl, type PageDependencies } from './page-request.ts'
import type { PageResult } from './page.tsx'
import type { RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { queryOf, readParameters } from '../../interface/http/parameters.ts'
import { chooseRepresentation, REPRESENTATIONS } from '../../interface/representations/representations.ts'
import { untilAnswered } from '../../interface/http/send.ts'
import { labelMatcher } from '../../interface/search/matching.ts'
import { readSearchText, singleSpaced } from '../../interface/search/words.ts'
import { askEndpoint, type EndpointRequest } from '../../routes.ts'

/** The page of the concept with a label; a list if several have it. */
export async function labelPage(request: PageRequest): Promise<PageResult> {
  const { texts, parameters, label = '' } = request
  const concepts = await conceptsLabelled(request, label, parameters.get('voc'))
  if (concepts.length === 1) return { location: link(request, 'concept', { uri: concepts[0]!.uri }) }
  return {
    title: label,
    status: 300,
    body: (
      <>
        <h1>{label}</h1>
        <p class="lead">{texts.severalConcepts}</p>
        <ol class="hits">
          {concepts.map((concept) => (
            <Hit concept={concept} words={[[label]]} />
          ))}
        </ol>
      </>
    ),
  }
}

/** The most concepts of an answer: the best hits of a search, among which equal labels come first. */
const MOST = '100'

/**
 * The concepts with a label. Preferred labels take precedence over other labels, and the same letters over a label that
 * differs in case, accents or the spelling of umlauts.
 *
 * @param voc ids or URIs of vocabularies, as in `/search`.
 * @returns all concepts of the best kind of match, in the order of `/search`.
 * @throws ApiError EntityNotFoundError if no concept has the label; the errors of `/search`.
 */
async function conceptsLabelled(
  request: EndpointRequest,
  text: string,
  voc: string | undefined,
): Promise<JskosRecord[]> {
  const label = singleSpaced(text.normalize())
  const properties = 'prefLabel,altLabel,hiddenLabel,notation,inScheme,broader,status'
  const searchText = readSearchText(label)
  const { records } = searchText
    ? await askEndpoint(request, '/search', { query: label, voc, use: 'label', limit: MOST, properties })
    : { records: [] }
  const match = searchText ? labelMatcher(searchText) : () => undefined
  const isSame = (name: string) => singleSpaced(name.normalize()) === label
  const isAlike = (name: string) => match(name) === 'whole'
  const preferred = ({ prefLabel = {} }: JskosRecord) => Object.values(prefLabel)
  const alternative = ({ altLabel = {}, hiddenLabel = {} }: JskosRecord) =>
    [altLabel, hiddenLabel].flatMap((texts) => Object.values(texts).flat())
  for (const labels of [preferred, alternative]) {
    for (const isMatch of [isSame, isAlike]) {
      const matching = records.filter((record) => labels(record).some(isMatch))
      if (matching.length > 0) return matching
    }
  }
  throw new ApiError('EntityNotFoundError', 'label: no concept has this label.')
}

/**
 * GET /label/{label}: 303 to the record of the concept with a label; 300 with a list if several have it (RFC 9110,
 * sections 15.4.1 and 15.4.4).
 */
export function conceptByLabel(dependencies: PageDependencies): RequestHandler {
  return async (request, response) => {
    const parameters = readParameters(queryOf(request), ['voc', 'format'])
    // The target of a redirect refuses a wrong format; a list has to refuse it itself.
    if (parameters.has('format')) chooseRepresentation(REPRESENTATIONS, request, parameters)
    const endpointRequest = { dependencies, signal: untilAnswered(response, dependencies.config).signal }
    const concepts = await conceptsLabelled(endpointRequest, String(request.params['label']), parameters.get('voc'))
    const addressOf = ({ uri }: JskosRecord) =>
      publicUrl(endpointRequest, 'data', { uri, format: parameters.get('format') })
    if (concepts.length === 1) response.redirect(303, addressOf(concepts[0]!))
    else response.status(300).json(concepts)
  }
}
