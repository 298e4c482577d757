import type { IncomingMessage, ServerResponse } from 'node:http'

/** The service, with its store open. */
export interface VocabularyService {
  /** For an Express application: `outer.use('/vocabularies', service.app)`. */
  app: (request: IncomingMessage, response: ServerResponse) => void
  /** Closes its files and its store. Stop listening first. */
  close: () => Promise<void>
}

/**
 * Opens the store and makes the application over it.
 *
 * @param settings as the environment variables of the service, by default those of the process. BASE_URL is the public
 *   address of the place where it is mounted.
 * @throws Error with a line for the operator if a setting is wrong.
 */
export function createService(settings?: Readonly<Record<string, string | undefined>>): Promise<VocabularyService>
