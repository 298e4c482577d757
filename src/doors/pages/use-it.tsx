import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { CopyButton } from './label.tsx'
import { link, publicUrl, type PageRequest, useRequest } from './page-request.ts'

/** A program that can use a vocabulary, and the lines that it needs for that. */
interface Use {
  name: string
  lines: string
  /** The document about it, below /docs. */
  document?: string
}

/** How other programs use a vocabulary: lines to copy, with the addresses of this service. */
export function UseIt({ id, vocabulary }: { id: string; vocabulary: Vocabulary }) {
  const request = useRequest()
  const { texts } = request
  return (
    <section class="use">
      <h2>{texts.useIn}</h2>
      {usesOf(request, id, vocabulary).map(({ name, lines, document }) => (
        <details>
          <summary>{name}</summary>
          <pre>
            <code>{lines}</code>
          </pre>
          <p class="small">
            <CopyButton text={lines} label={texts.copyLines(name)} />{' '}
            {document === undefined ? null : (
              <a href={link(request, `docs/${document}`)} aria-label={texts.howToUse(name)}>
                {texts.howTo}
              </a>
            )}
          </p>
        </details>
      ))}
    </section>
  )
}

function usesOf(request: PageRequest, id: string, { uri, isSubset }: Vocabulary): Use[] {
  const { texts, dependencies } = request
  const { config, sparqlUrl } = dependencies
  const reconciliation = publicUrl(request, `voc/${encodeURIComponent(id)}/reconcile`)
  const registry = (provider: string) => ({
    uri: publicUrl(request, provider === 'ConceptApi' ? '' : 'mappings'),
    provider,
    prefLabel: { en: config.site.name },
    notation: [provider === 'ConceptApi' ? 'V' : 'VM'],
    status: publicUrl(request, 'status'),
  })
  return [
    {
      name: texts.forms,
      lines:
        `<script type="module" src="${publicUrl(request, 'picker.js')}"></script>\n` +
        `<vocabulary-picker name="concept" vocabulary="${attribute(id)}"></vocabulary-picker>`,
      document: 'forms',
    },
    { name: 'OpenRefine', lines: reconciliation, document: 'reconciliation' },
    {
      name: 'Cocoda',
      lines: JSON.stringify({ registries: ['ConceptApi', 'MappingsApi'].map(registry) }, undefined, 2),
      document: 'cocoda',
    },
    ...(config.mcp
      ? [
          {
            name: texts.assistants,
            lines: JSON.stringify(
              { mcpServers: { vocabularies: { type: 'http', url: publicUrl(request, 'mcp') } } },
              undefined,
              2,
            ),
            document: 'assistants',
          },
        ]
      : []),
    ...(sparqlUrl === undefined
      ? []
      : [
          {
            name: 'SPARQL',
            lines: [
              `# ${sparqlUrl}`,
              'PREFIX skos: <http://www.w3.org/2004/02/skos/core#>',
              'SELECT ?concept ?name WHERE {',
              isSubset ? `  <${uri}> skos:member ?concept .` : `  ?concept skos:inScheme <${uri}> .`,
              '  ?concept skos:prefLabel ?name',
              '} LIMIT 20',
            ].join('\n'),
          },
        ]),
  ]
}

/** A text as the value of an attribute in HTML. */
function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}
