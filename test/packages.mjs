import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { withOwnGlobals } from './globals.mjs'

/**
 * Packages that src/ and tests import, each bundled into one file with all that it imports in turn. Every test file has
 * modules of its own, and jest takes more than two seconds to find and link the many files of these packages; bundled,
 * they take half a second.
 */
const BUNDLED = [
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/node',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/server/stdio',
  '@traqula/parser-sparql-1-1',
  'ajv',
  'ajv-formats',
  'commander',
  'compression',
  'cors',
  'csv-parse',
  'csv-parse/sync',
  'express',
  'express-rate-limit',
  'fflate',
  'helmet',
  'hucre',
  'hucre/ods',
  'hucre/xlsx',
  'jskos-tools',
  'jskos-validate',
  'jsonld',
  'jsonld-streaming-parser',
  'lru-cache',
  'markdown-it',
  'n3',
  'negotiator',
  'nodemailer',
  'p-queue',
  'preact',
  'preact/jsx-runtime',
  'preact-render-to-string',
  'prom-client',
  'rdf-validate-shacl',
  'rdfxml-streaming-parser',
  're2js',
  'sparql-http-client/SimpleClient.js',
  'tar',
  'undici',
  'yaml',
  'zod',
]

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'node_modules/.cache/test-packages')

const bundleOf = (name) => join(folder, `${name.replace(/\.js$/, '')}.js`)
const bundles = new Map(BUNDLED.map((name) => [name, bundleOf(name)]))
const ours = ['src', 'test'].map((name) => join(root, name) + sep)

/**
 * The resolver of jest: finds modules as jest does, but the packages of `BUNDLED` in their files if src/ or a test
 * imports one.
 */
export function sync(request, options) {
  const bundle = bundles.get(request)
  const isOurs = bundle && ours.some((start) => `${options.basedir}${sep}`.startsWith(start))
  return isOurs ? bundle : options.defaultResolver(request, options)
}

/** Makes the files, unless they are of the packages that are installed now. */
export async function bundlePackages() {
  const made = join(folder, 'made-from')
  const sources = [
    import.meta.filename,
    join(import.meta.dirname, 'globals.mjs'),
    join(root, 'node_modules/.package-lock.json'),
  ]
  const digest = sources.reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256')).digest('hex')
  if (existsSync(made) && readFileSync(made, 'utf8') === digest) return
  const esbuild = await import('esbuild')
  const entryPoints = await Promise.all(BUNDLED.map(writeEntry))
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints,
    outdir: folder,
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'error',
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  })
  await esbuild.stop()
  for (const { path, text } of outputFiles) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, withOwnGlobals(text))
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(made, digest)
}

/** Writes a module that exports what a package exports: esbuild finds no names of packages in CommonJS by itself. */
async function writeEntry(name) {
  const names = Object.keys(await import(name)).filter((exported) => /^[\w$]+$/.test(exported))
  const out = bundleOf(name).slice(folder.length + 1, -'.js'.length)
  const file = join(folder, 'entries', `${out}.mjs`)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `export { ${names.join(', ')} } from '${name}'\n`)
  return { in: file, out }
}
