import { FORMAT_ENDPOINTS } from './formats/endpoints.ts'
import { HISTORY_ENDPOINTS } from './history/endpoints.ts'
import type { Endpoint } from './http/endpoint.ts'
import { INGEST_ENDPOINTS, type IngestHandlers } from './ingest/endpoints.ts'
import { MAPPING_ENDPOINTS } from './mappings/endpoints.ts'
import { MCP_ENDPOINTS, type McpDependencies } from './mcp/endpoints.ts'
import type { PageDependencies } from './pages/page-request.ts'
import { PAGE_ENDPOINTS } from './pages/pages.ts'
import { TREE_ENDPOINTS } from './read/tree.ts'
import { RECONCILE_ENDPOINTS } from './reconcile/endpoints.ts'
import { RECORD_ENDPOINTS } from './routes.ts'
import { SKOSMOS_ENDPOINTS } from './skosmos/endpoints.ts'
import { SERVICE_ENDPOINTS, type ServiceDependencies } from './status/endpoints.ts'
import { SPARQL_ENDPOINTS, type SparqlHandlers } from './store/endpoints.ts'
import { VALIDATE_ENDPOINTS } from './validate/endpoints.ts'
import type { ValidateDependencies } from './validate/endpoint.ts'
import { EXPORT_ENDPOINTS } from './export/endpoints.ts'

/** The dependencies of all endpoints. */
export type EndpointDependencies = PageDependencies &
  ServiceDependencies &
  ValidateDependencies &
  McpDependencies &
  IngestHandlers &
  SparqlHandlers

/**
 * THE table of all endpoints: the application, the OpenAPI document and /status follow from it. Pages come first,
 * because some of them share the address of an endpoint for programs, which answers if a request does not prefer a
 * page.
 */
export const ENDPOINTS: readonly Endpoint<EndpointDependencies>[] = [
  ...PAGE_ENDPOINTS,
  ...RECORD_ENDPOINTS,
  ...TREE_ENDPOINTS,
  ...EXPORT_ENDPOINTS,
  ...MAPPING_ENDPOINTS,
  ...RECONCILE_ENDPOINTS,
  ...SKOSMOS_ENDPOINTS,
  ...MCP_ENDPOINTS,
  ...HISTORY_ENDPOINTS,
  ...INGEST_ENDPOINTS,
  ...VALIDATE_ENDPOINTS,
  ...FORMAT_ENDPOINTS,
  ...SPARQL_ENDPOINTS,
  ...SERVICE_ENDPOINTS,
]
