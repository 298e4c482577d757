import { Hit } from './hit.tsx'
import { conceptsLabelled } from './labelled-concepts.ts'
import { link, type PageRequest } from './page-request.ts'
import type { PageResult } from './page.tsx'

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
            <Hit request={request} concept={concept} words={[[label]]} />
          ))}
        </ol>
      </>
    ),
  }
}
