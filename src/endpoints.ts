import { FORMAT_ENDPOINTS } from './doors/formats/endpoints.ts'
import { HISTORY_ENDPOINTS } from './writing/history/endpoints.ts'
import type { Endpoint } from './interface/http/endpoint.ts'
import { PROPOSAL_ENDPOINTS } from './writing/proposals/endpoints.ts'
import { INGEST_ENDPOINTS, type IngestHandlers } from './writing/ingest/endpoints.ts'
import { MAPPING_ENDPOINTS } from './doors/mappings/endpoints.ts'
import { MCP_ENDPOINTS, type McpDependencies } from './doors/mcp/endpoints.ts'
import type { PageDependencies } from './doors/pages/page-request.ts'
import { PAGE_ENDPOINTS } from './doors/pages/pages.ts'
import { TREE_ENDPOINTS } from './interface/read/tree.ts'
import { RECONCILE_ENDPOINTS } from './doors/reconcile/endpoints.ts'
import { RECORD_ENDPOINTS } from './routes.ts'
import { SKOSMOS_ENDPOINTS } from './doors/skosmos/endpoints.ts'
import { SERVICE_ENDPOINTS, type ServiceDependencies } from './doors/status/endpoints.ts'
import { SPARQL_ENDPOINTS, type SparqlHandlers } from './interface/store/endpoints.ts'
import { VALIDATE_ENDPOINTS, type ValidateDependencies } from './doors/validate/endpoints.ts'
import { EXPORT_ENDPOINTS, type ExportDependencies } from './doors/export/endpoints.ts'

/** The dependencies of all endpoints. */
type EndpointDependencies = PageDependencies &
  ServiceDependencies &
  ValidateDependencies &
  McpDependencies &
  ExportDependencies &
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
  ...PROPOSAL_ENDPOINTS,
  ...INGEST_ENDPOINTS,
  ...VALIDATE_ENDPOINTS,
  ...FORMAT_ENDPOINTS,
  ...SPARQL_ENDPOINTS,
  ...SERVICE_ENDPOINTS,
]
