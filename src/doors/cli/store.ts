import { Command } from 'commander'
import { changeStore } from '../../writing/commands/change-store.ts'
import { checkDataFolder } from '../../data-folder.ts'
import { nameOfStore } from '../../store-of-folder.ts'
import type { CliContext } from './context.ts'

/** `vocab store`: the store that the data folder belongs to (docs/operation.md, "Another store"). */
export function storeCommand({ config, clientOfChange, print }: CliContext): Command {
  const command = new Command('store')

  command
    .command('show')
    .description('show the store that the data folder belongs to')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { store } = (await checkDataFolder(config.dataDir)) ?? {}
      const text = store ? `belongs to ${nameOfStore(store)}` : 'has not met a store yet'
      print(json, { store: store ?? null }, `${config.dataDir} ${text}.`)
    })

  command
    .command('change')
    .description('assign the data folder to the store of the SPARQL_* settings; the service must not run')
    .option('--force', 'even if the store lacks vocabularies that the data folder knows')
    .option('--json', 'print JSON')
    .action(async ({ force, json }: { force?: boolean; json?: boolean }) => {
      const store = await changeStore(await clientOfChange(), config, { isForced: force === true })
      print(json, { store }, `${config.dataDir} belongs to ${nameOfStore(store)} now.`)
    })
  return command
}
