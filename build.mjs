// Builds src/ into dist/ unless dist/ is of the same sources, and then runs the program of dist/ that is named:
// `node build.mjs`, `node build.mjs cli/main list`; `node build.mjs --pack` leaves nothing else in dist/, for the
// package. Types are checked by `npm run check`. Programs that run already may be reading dist/ meanwhile, so each file
// appears whole or not at all, one that would be the same is left alone, and the files of the build before stay.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Buffer } from 'node:buffer'
import process from 'node:process'

const root = import.meta.dirname
const dist = join(root, 'dist')
/** Says what dist/ was built from, and the files of that build, a line each: written last. */
const builtFrom = join(dist, 'built-from')
/** Files that no build has needed for so long are removed. */
const OLD_MS = 7 * 24 * 3_600_000

/** Builds everything; gives the names of the files in dist/. */
async function build() {
  const esbuild = await import('esbuild')
  const { dependencies, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const common = { absWorkingDir: root, bundle: true, format: 'esm', write: false, metafile: true }
  const programs = esbuild.build({
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
    // Other packages are built in, because Node.js takes twice as long to start from their many files. libsql, oxigraph
    // and pino have files that are not JavaScript, or find their own by their place. The rest are CommonJS and imported
    // when they are needed: esbuild would give such an import no names.
    external: Object.keys(dependencies),
    // Packages in CommonJS call it.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    target: 'node20.19',
    sourcemap: 'linked',
    sourcesContent: false,
  })
  const forBrowsers = {
    ...common,
    outdir: 'dist/assets',
    entryNames: '[name]',
    target: ['chrome111', 'firefox114', 'safari16.4'],
    minify: true,
  }
  // Browsers load these with the pages.
  const assets = esbuild.build({
    ...forBrowsers,
    entryPoints: ['src/doors/pages/style.css', 'src/doors/pages/favicon.svg', 'src/doors/pages/islands/*.ts'],
    loader: { '.svg': 'copy' },
  })
  // The element for other sites, which has its style within.
  const picker = esbuild.build({
    ...forBrowsers,
    entryPoints: ['src/doors/picker/picker.ts'],
    define: { PACKAGE_VERSION: JSON.stringify(version) },
    plugins: [
      {
        name: 'small style',
        setup: (one) =>
          one.onLoad({ filter: /\.css$/ }, async ({ path }) => {
            const { target, minify } = forBrowsers
            const { code } = await esbuild.transform(await readFile(path, 'utf8'), { loader: 'css', target, minify })
            return { contents: code.trim(), loader: 'text' }
          }),
      },
    ],
  })
  const built = await Promise.all([programs, assets, picker])
  const outputFiles = built.flatMap((one) => one.outputFiles)
  const notices = { path: join(dist, 'THIRD-PARTY-NOTICES'), contents: Buffer.from(await thirdPartyNotices(built)) }
  await Promise.all([...outputFiles, notices].map(({ path, contents }) => write(path, contents)))
  // esbuild has a process of its own, which would stay as long as the program that runs now.
  await esbuild.stop()
  return [...outputFiles, notices].map(({ path }) => relative(dist, path))
}

/**
 * The licences of the packages that are built in: a line `name version (licence)` each, and the text that comes with
 * the package.
 */
async function thirdPartyNotices(built) {
  const used = built.flatMap(({ metafile }) =>
    Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs)),
  )
  const folders = new Set()
  for (const [path, { bytesInOutput }] of used) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
    if (folder && bytesInOutput > 0) folders.add(folder)
  }
  const notices = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))
      const file = (await readdir(join(root, folder))).find((one) => /^(licen[cs]e|copying)/i.test(one))
      const text = file ? await readFile(join(root, folder, file), 'utf8') : 'The package has no text of its licence.'
      return `${name} ${version} (${license ?? 'see below'})\n\n${text.trim()}\n`
    }),
  )
  return notices.join(`\n${'-'.repeat(72)}\n\n`)
}

/** Removes the files of older builds, those that have not been needed for so long. */
async function removeAllBut(needed, ageMs) {
  for (const name of await readdir(dist, { recursive: true })) {
    const path = join(dist, name)
    if (needed.has(name) || path === builtFrom) continue
    const entry = await stat(path).catch(() => undefined)
    if (entry?.isFile() && Date.now() - entry.mtimeMs > ageMs) await rm(path, { force: true })
  }
}

async function write(path, contents) {
  const present = await readFile(path).catch(() => undefined)
  if (present?.equals(contents)) return
  const part = `${path}.${process.pid}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(part, contents)
  await rename(part, path)
}

/**
 * A digest of all that dist/ is built from, the list of installed packages included. Times would not tell of older
 * files put there later.
 */
function digestSources() {
  const digest = createHash('sha256')
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).sort()
  for (const file of [
    'build.mjs',
    'package.json',
    'node_modules/.package-lock.json',
    ...sources.map((name) => join('src', name)),
  ]) {
    const path = join(root, file)
    if (existsSync(path) && statSync(path).isFile()) digest.update(`${file}\0`).update(readFileSync(path))
  }
  return digest.digest('hex')
}

const sources = digestSources()
const [before, ...filesBefore] = (await readFile(builtFrom, 'utf8').catch(() => '')).split('\n')
let files = filesBefore
if (before !== sources) {
  files = await build()
  await removeAllBut(new Set([...files, ...filesBefore]), OLD_MS)
  await writeFile(builtFrom, [sources, ...files].join('\n'))
}
const [program] = process.argv.splice(2, 1)
if (program === '--pack') await removeAllBut(new Set([...files, 'checked-templates']), 0)
else if (program) await import(`./dist/${program}.js`)
