// Builds src/ into dist/ unless dist/ is of the same sources, and then runs the program of dist/ that is named:
// `node build.mjs`, `node build.mjs cli/main list`. `node build.mjs --pack` leaves nothing else in dist/, for the
// package. Otherwise files of earlier builds stay, because processes may be reading them, and each file appears whole or
// not at all. `npm run check` checks the types.
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import module from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'

const root = import.meta.dirname
const dist = join(root, 'dist')

async function build() {
  const esbuild = await import('esbuild')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const common = { absWorkingDir: root, bundle: true, format: 'esm', write: false }
  const programs = {
    ...common,
    // By the name in dist/, which units of systemd and images have.
    entryPoints: {
      main: 'src/main.ts',
      bin: 'src/bin.ts',
      package: 'src/package.ts',
      'cli/main': 'src/doors/cli/main.ts',
      'store/thread-main': 'src/interface/store/thread-main.ts',
      'validate/thread-main': 'src/doors/validate/thread-main.ts',
      'search/thread-main': 'src/interface/search/thread-main.ts',
    },
    outdir: 'dist',
    splitting: true,
    platform: 'node',
    // Node.js finds them in node_modules, where `npm audit` and `npm sbom` see them.
    packages: 'external',
    target: 'node20.19',
    sourcemap: 'linked',
    sourcesContent: false,
  }
  const target = ['chrome111', 'firefox114', 'safari16.4']
  const forBrowsers = { ...common, outdir: 'dist/assets', entryNames: '[name]', target, minify: true, metafile: true }
  const pages = {
    ...forBrowsers,
    entryPoints: ['src/doors/pages/style.css', 'src/doors/pages/favicon.svg', 'src/doors/pages/islands/*.ts'],
    loader: { '.svg': 'copy' },
  }
  // The element for other sites has its style within.
  const setup = ({ onLoad }) =>
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await esbuild.transform(await readFile(path), { loader: 'css', target, minify: true })
      return { contents: code.trim(), loader: 'text' }
    })
  const picker = {
    ...forBrowsers,
    entryPoints: ['src/doors/picker/picker.ts'],
    define: { PACKAGE_VERSION: JSON.stringify(version) },
    plugins: [{ name: 'style within', setup }],
  }
  const built = await Promise.all([programs, pages, picker].map(esbuild.build))
  await Promise.all(built.flatMap(({ outputFiles }) => outputFiles).map(({ path, contents }) => write(path, contents)))
  await write(join(dist, 'THIRD-PARTY-NOTICES'), await notices(Object.keys(built[1].metafile.inputs)))
  // esbuild has a process of its own, which would stay as long as the program that runs now.
  await esbuild.stop()
}

/** The licences of the packages that are built in for browsers. */
async function notices(inputs) {
  const folders = new Set(inputs.flatMap((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))
  const texts = [...folders].sort().map(async (folder) => {
    const text = await readFile(join(root, folder, 'LICENSE'), 'utf8')
    return `${folder.slice('node_modules/'.length)}\n\n${text.trim()}\n`
  })
  return (await Promise.all(texts)).join(`\n${'-'.repeat(72)}\n\n`)
}

async function write(path, contents) {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.${process.pid}`, contents)
  await rename(`${path}.${process.pid}`, path)
}

/** A digest of all that dist/ is built from. Times would not tell of older files put there later. */
function digestOfSources() {
  const digest = createHash('sha256')
  const entries = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  const sources = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  for (const path of [join(root, 'build.mjs'), join(root, 'package.json'), ...sources.sort()])
    digest.update(`${path.slice(root.length)}\0`).update(readFileSync(path))
  return digest.digest('hex')
}

const [program] = process.argv.splice(2, 1)
const builtFrom = join(dist, 'built-from')
const sources = digestOfSources()
if (program === '--pack') await rm(dist, { recursive: true, force: true })
if (sources !== (await readFile(builtFrom, 'utf8').catch(() => ''))) {
  await build()
  await write(builtFrom, sources)
}
// As in src/bin.ts.
module.enableCompileCache?.(join(dist, 'compile-cache'))
if (program && program !== '--pack') await import(`./dist/${program}.js`)
