import { Command, InvalidArgumentError } from 'commander'
import { readLimits } from '../../settings.ts'
import {
  AccountError,
  Accounts,
  changeAccounts,
  hashToken,
  isEmailAddress,
  isRole,
  newToken,
  roleOf,
  ROLES,
  type Account,
  type Role,
} from '../../writing/ingest/accounts.ts'
import { requireVocabulary, readVocabularies } from '../../graph/vocabularies/vocabulary.ts'
import type { CliContext } from './context.ts'

interface AddOptions {
  username: string
  voc: string
  email: string[]
  replyTo?: string
  role: Role
  limits?: string
  json?: boolean
}

/** `vocab account`: accounts for ingest (docs/ingest.md, "Accounts and limits"). Changes take effect at once. */
export function accountCommand({ config, client, print }: CliContext): Command {
  const command = new Command('account')
  const file = config.accountsFile

  command
    .command('add')
    .description('make an account for one vocabulary and show its token, which cannot be shown again')
    .requiredOption('--username <name>', 'name of the account', readUsername)
    .requiredOption('--voc <id>', 'id or URI of the vocabulary')
    .option(
      '--email <address>',
      'address of an editor who gets a mail about every ingest (may be repeated)',
      addEmail,
      [],
    )
    .option(
      '--reply-to <address>',
      'address of the owner of the account, for a mail about each decision on a proposal',
      readAddress,
    )
    .option('--role <role>', 'editor: may also accept and refuse proposals; proposer', readRole, 'proposer')
    .option('--limits <limits>', 'instead of INGEST_LIMITS, such as 5/minute,100/day, or none', readLimitsText)
    .option('--json', 'print JSON')
    .action(async (options: AddOptions) => {
      const vocabulary = requireVocabulary(await readVocabularies(await client()), options.voc)
      if (vocabulary.isSubset) {
        throw new AccountError(`${options.voc} is a subset; accounts are for whole vocabularies.`)
      }
      const token = newToken()
      const account: Account = {
        username: options.username,
        tokenHash: hashToken(token),
        voc: vocabulary.uri,
        emails: options.email,
        role: options.role,
        ...(options.replyTo === undefined ? {} : { replyTo: options.replyTo }),
        ...(options.limits === undefined ? {} : { limits: options.limits }),
        created: new Date().toISOString().slice(0, 10),
      }
      await changeAccounts(file, (accounts) => {
        if (accounts.some(({ username }) => username === account.username)) {
          throw new AccountError(`there is an account ${account.username} already.`)
        }
        return [[...accounts, account], undefined]
      })
      print(
        options.json,
        { ...shown(account), token },
        `${account.username} may ingest into ${account.voc}${account.role === 'editor' ? ' and decide about its proposals' : ''}\ntoken (keep it, it is not shown again): ${token}`,
      )
    })

  command
    .command('list')
    .description('show all accounts, without their tokens')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const accounts = (await new Accounts(file).list()).map(shown)
      const lines = accounts.map(({ username, voc, emails, limits, role, replyTo }) =>
        [username, voc, emails.join(',') || '-', limits ?? '-', role, replyTo ?? '-'].join('\t'),
      )
      print(options.json, accounts, lines.length > 0 ? lines.join('\n') : 'There are no accounts.')
    })

  command
    .command('remove')
    .argument('<username>', 'name of the account')
    .description('remove an account; mails about its ingests are still sent')
    .option('--json', 'print JSON')
    .action(async (username: string, options: { json?: boolean }) => {
      const account = await changeAccounts(file, (accounts) => {
        const account = findAccount(accounts, username)
        return [accounts.filter((other) => other !== account), account]
      })
      print(options.json, shown(account), `${username} is removed.`)
    })

  command
    .command('rotate')
    .argument('<username>', 'name of the account')
    .description('give an account a new token, which replaces the old one at once')
    .option('--json', 'print JSON')
    .action(async (username: string, options: { json?: boolean }) => {
      const token = newToken()
      const account = await changeAccounts(file, (accounts) => {
        const account = findAccount(accounts, username)
        const changed = { ...account, tokenHash: hashToken(token) }
        return [accounts.map((other) => (other === account ? changed : other)), changed]
      })
      print(options.json, { ...shown(account), token }, `token (keep it, it is not shown again): ${token}`)
    })
  return command
}

function findAccount(accounts: readonly Account[], username: string): Account {
  const match = accounts.find((account) => account.username === username)
  if (!match) throw new AccountError(`there is no account ${username}.`)
  return match
}

/** An account without its token hash. */
function shown(account: Account) {
  const { username, voc, emails, replyTo, limits, created } = account
  return {
    username,
    voc,
    role: roleOf(account),
    emails,
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(limits === undefined ? {} : { limits }),
    created,
  }
}

function readUsername(text: string): string {
  if (/^[^\s\p{C}]([^\p{C}\p{Zl}\p{Zp}]{0,98}[^\s\p{C}])?$/u.test(text)) return text
  throw new InvalidArgumentError('expected 1 to 100 characters, no control characters and no space at either end.')
}

function addEmail(text: string, before: string[]): string[] {
  const address = readAddress(text)
  return before.includes(address) ? before : [...before, address]
}

function readAddress(text: string): string {
  if (isEmailAddress(text)) return text
  throw new InvalidArgumentError('expected one address such as editor@example.org.')
}

function readRole(text: string): Role {
  if (isRole(text)) return text
  throw new InvalidArgumentError(`expected ${ROLES.join(' or ')}.`)
}

function readLimitsText(text: string): string {
  if (!readLimits(text)) throw new InvalidArgumentError('expected limits such as 5/minute,100/day, or none.')
  return text
}
