import pino from 'pino'
import { readConfig, refuseUnknownSettings } from './config.ts'
import { composeApplication } from './compose-application.ts'
import type { Settings, VocabularyService } from './package-types.d.ts'

/**
 * The service as an Express application, to be mounted in another one (docs/library.md).
 *
 * @param settings as the environment variables of the service; BASE_URL is the public address of the place where it is
 *   mounted.
 * @throws Error with a line for the operator if a setting is wrong, or if there is none with its name.
 * @example
 * const service = await createService({ BASE_URL: 'https://example.org/vocabularies/' })
 * outer.use('/vocabularies', service.app)
 */
export async function createService(settings: Readonly<Settings> = process.env): Promise<VocabularyService> {
  const given = { ...settings }
  refuseUnknownSettings(given)
  const config = readConfig(given)
  const log = pino({ level: config.logLevel })
  const service = await composeApplication(config, log)
  service.begin((error) => log.error({ err: error }, 'the store is unfit'))
  return {
    // Addresses in answers begin at BASE_URL, wherever the application is mounted.
    app: (request, response) => void service.app(request, response),
    close: service.close,
  }
}
