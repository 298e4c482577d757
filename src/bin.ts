#!/usr/bin/env node
/** The command of the package: without arguments the service, else a command for its vocabularies. */
import process from 'node:process'

process.setSourceMapsEnabled(true)
const [, , command] = process.argv
if (command === undefined) await import('./main.ts')
else await import('./doors/cli/main.ts')
