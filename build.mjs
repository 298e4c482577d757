// Builds src/ into dist/: what `npm start` and `npm run vocab` run, in a tenth of a second. Types are checked by
// `npm run typecheck`. Programs that run already may be reading dist/ meanwhile, so each file appears whole or not at all,
// and one that would be the same is left alone.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'

const common = { absWorkingDir: import.meta.dirname, bundle: true, format: 'esm', write: false }
const programs = build({
  ...common,
  entryPoints: ['src/main.ts', 'src/cli/main.ts', 'src/store/thread-main.ts'],
  outdir: 'dist',
  splitting: true,
  packages: 'external',
  target: 'node20.19',
  sourcemap: 'linked',
  sourcesContent: false,
})
// What browsers load with the pages.
const assets = build({
  ...common,
  entryPoints: ['src/pages/style.css', 'src/pages/favicon.svg', 'src/pages/islands/*.ts'],
  loader: { '.svg': 'copy' },
  outdir: 'dist/assets',
  entryNames: '[name]',
  target: ['chrome111', 'firefox114', 'safari16.4'],
  minify: true,
})
const outputFiles = (await Promise.all([programs, assets])).flatMap((built) => built.outputFiles)

await Promise.all(
  outputFiles.map(async ({ path, contents }) => {
    const present = await readFile(path).catch(() => undefined)
    if (present?.equals(contents)) return
    const part = `${path}.${process.pid}`
    await mkdir(dirname(path), { recursive: true })
    await writeFile(part, contents)
    await rename(part, path)
  }),
)
