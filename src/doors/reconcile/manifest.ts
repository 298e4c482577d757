import type { Config } from '../../config.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { nameOf } from '../../graph/jskos/names.ts'
import { CONCEPT, SKOS } from '../../base/namespaces.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { DEFAULT_CELL } from './extend.ts'

/** The size of a preview in pixels. */
export const PREVIEW = { width: 400, height: 200 }

/** The settings of columns. */
const SETTINGS = [
  {
    id: 'limit',
    name: 'Limit',
    type: 'number',
    default: DEFAULT_CELL,
    helpText: `The maximum number of values in a cell, up to ${MAXIMA.cell.most}; 0 means ${MAXIMA.cell.most}`,
  },
  { id: 'language', name: 'Language', type: 'text', default: '', helpText: 'Only texts in this language, such as de' },
]

/**
 * The manifest for one vocabulary or for all (0.2, section 3.2; 1.0-draft, section 3.2). The versions of the API
 * express the same in different ways, so each has its own manifest.
 *
 * @param address of reconciliation.
 */
export function manifest(
  { baseUrl, site }: Config,
  address: string,
  vocabulary: Vocabulary | undefined,
  preferred: readonly string[],
  version: '0.2' | '1.0-draft',
): object {
  const page = `${baseUrl}concept?uri=`
  const common = {
    versions: ['0.2', '1.0-draft'],
    name: vocabulary ? nameOf({ ...vocabulary, notation: vocabulary.ids }, preferred) : site.name,
    defaultTypes: [{ id: CONCEPT, name: 'Concept' }],
    documentation: `${baseUrl}docs`,
  }
  if (version === '1.0-draft') {
    return {
      ...common,
      view: { url: `${page}{id}` },
      suggest: { entity: true, property: true, type: true },
      preview: PREVIEW,
      extend: { proposeProperties: true, propertySettings: SETTINGS },
      standardizedScore: true,
    }
  }
  const suggest = (kind: string) => ({ service_url: address, service_path: `/suggest/${kind}` })
  return {
    ...common,
    identifierSpace: vocabulary?.uri ?? baseUrl,
    schemaSpace: SKOS,
    view: { url: `${page}{{id}}` },
    suggest: {
      entity: { ...suggest('entity'), flyout_service_url: address, flyout_service_path: '/flyout/entity?id=${id}' },
      property: suggest('property'),
      type: suggest('type'),
    },
    preview: { url: `${address}/preview?id={{id}}`, ...PREVIEW },
    extend: {
      propose_properties: { service_url: address, service_path: '/extend/propose' },
      property_settings: SETTINGS.map(({ id, name, helpText, ...more }) => ({
        name: id,
        label: name,
        help_text: helpText,
        ...more,
      })),
    },
  }
}
