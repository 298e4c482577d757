import type { Request, Response } from 'express'
import type { Logger } from 'pino'
import { sortLanguage, type Config } from '../../config.ts'
import { ApiError, unavailable } from '../../base/errors.ts'
import { InputError } from '../../base/files/input-error.ts'
import { IndexOfCommands } from '../../interface/search/index-of-commands.ts'
import type { ReplicatedReading } from '../../interface/read/dependencies.ts'
import { HeldGraphs } from '../../graph/vocabularies/graph-hold.ts'
import { isSameVocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { History } from '../history/history.ts'
import { decideProposals, readReason, type NewDecision } from '../proposals/decide.ts'
import { roleOf, type Account, type Accounts } from './accounts.ts'
import type { DecisionMails } from './decision-mails.ts'
import { login, type LoginDependencies } from './ingest.ts'

/** The work of editors on pages: they log in and decide about proposals (docs/ingest.md, "Proposals"). */
export interface Editing {
  /**
   * The account of an editor of a vocabulary.
   *
   * @throws ApiError UnauthorizedError; ForbiddenAccessError if it is no editor of this vocabulary;
   *   TooManyRequestsError after too many wrong logins.
   */
  login(request: Request, response: Response, given: { username: string; token: string; voc: string }): Promise<Account>
  /** The account with this name, if it is an editor of the vocabulary. @throws ApiError ServiceUnavailableError */
  find(username: string, voc: string): Promise<Account | undefined>
  /**
   * Accepts or refuses an open proposal of a vocabulary.
   *
   * @throws ApiError InvalidBodyError if it is none or the reason is too long; ServiceUnavailableError while the
   *   vocabulary is being replaced; the errors of the store.
   */
  decide(voc: string, uri: string, decision: NewDecision): Promise<void>
}

interface EditingDependencies extends LoginDependencies {
  config: Config
  reading: ReplicatedReading
  accounts: Accounts
  history: History
  decisionMails: DecisionMails
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** Makes the one way in which editors decide on pages. */
export function editing(dependencies: EditingDependencies): Editing {
  const { config, reading, accounts, history, decisionMails, log } = dependencies
  const { client } = reading.primary
  const isEditor = (account: Account, voc: string) => roleOf(account) === 'editor' && isSameVocabulary(account.voc, voc)
  return {
    login: async (request, response, { username, token, voc }) => {
      const account = await login(dependencies, { username, tokens: [token] }, request, response)
      if (isEditor(account, voc)) return account
      throw new ApiError('ForbiddenAccessError', 'username: this account is not one of an editor of this vocabulary.')
    },
    find: async (username, voc) => {
      const all = await accounts.list().catch((cause: unknown) => {
        throw unavailable('The service cannot check accounts at the moment.', { cause, retryAfter: 60 })
      })
      return all.find((account) => account.username === username && isEditor(account, voc))
    },
    decide: async (voc, uri, { reason, ...decision }) => {
      if (await new HeldGraphs(client).isHeld(voc)) {
        throw unavailable('The vocabulary is being replaced; please try again.', { retryAfter: 5 })
      }
      const index = new IndexOfCommands(
        config.dataDir,
        (err) => log.warn({ err }, 'the search index is behind'),
        sortLanguage(config),
      )
      try {
        await decideProposals({ client, history, index }, [uri], { ...decision, reason: readReason(reason) }, voc)
      } catch (error) {
        if (error instanceof InputError) throw new ApiError('InvalidBodyError', error.message, { cause: error })
        throw error
      } finally {
        await index.close()
      }
      reading.primary.state.changed()
      reading.state.changed()
      reading.primary.registry.invalidate()
      reading.registry.invalidate()
      void decisionMails.look()
      log.info({ voc, uri, decision: decision.decision }, 'a proposal was decided')
    },
  }
}
