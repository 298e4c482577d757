#!/usr/bin/env node
/** The command of the package: without arguments the service, else a command for its vocabularies. */
import module from 'node:module'
import process from 'node:process'
import { fromRoot } from './base/root.ts'

process.setSourceMapsEnabled(true)
// Node.js 22.8 and later keep compiled modules; this does nothing if nobody can write there.
const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => unknown }
enableCompileCache?.(fromRoot('dist/compile-cache'))
const [, , command] = process.argv
if (command === undefined) await import('./main.ts')
else await import('./doors/cli/main.ts')
