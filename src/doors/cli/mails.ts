import { join } from 'node:path'
import { Command } from 'commander'
import { openSetAside, type SetAsideMails } from '../../writing/ingest/set-aside-mails.ts'
import type { CliContext } from './context.ts'

/** `vocab mails`: mails about ingests that no mail server took in 5 days (docs/ingest.md, "Mail"). */
export function mailsCommand({ config, print }: CliContext): Command {
  const command = new Command('mails')
  const over = async <T>(work: (mails: SetAsideMails) => Promise<T>): Promise<T> => {
    const { mails, close } = await openSetAside(join(config.dataDir, 'ingest'))
    try {
      return await work(mails)
    } finally {
      await close()
    }
  }

  command
    .command('list')
    .description(
      'show the mails that were set aside: id, time of the ingest, vocabulary, number of concepts, addresses',
    )
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const mails = (await over((all) => all.list())).map(({ id, time, voc, uris, recipients }) => ({
        id,
        time,
        voc,
        uris,
        recipients,
      }))
      const lines = mails.map(({ id, time, voc, uris, recipients }) =>
        [id, time, voc, uris.length, recipients.join(',')].join('\t'),
      )
      print(options.json, mails, lines.length > 0 ? lines : 'No mail was set aside.')
    })

  for (const [name, description, done] of [
    ['retry', 'put mails back into the outbox, to be tried for another 5 days', 'in the outbox again'],
    ['remove', 'delete mails', 'removed'],
  ] as const) {
    command
      .command(name)
      .argument('[id...]', 'ids of mails, as "vocab mails list" shows them')
      .description(description)
      .option('--all', 'all mails that were set aside')
      .option('--json', 'print JSON')
      .action(async (named: string[], options: { all?: boolean; json?: boolean }) => {
        if ((named.length === 0) !== (options.all === true)) throw new Error('expected ids of mails, or --all.')
        const ids = await over(async (mails) => {
          const present = (await mails.list()).map(({ id }) => id)
          const unknown = named.find((id) => !present.includes(id))
          if (unknown !== undefined) throw new Error(`there is no mail ${unknown}; "vocab mails list" shows all.`)
          return mails[name](options.all ? present : named)
        })
        print(options.json, { ids }, `${ids.length} ${ids.length === 1 ? 'mail is' : 'mails are'} ${done}.`)
      })
  }
  return command
}
