// Builds src/ into dist/ unless dist/ is of the same sources, and then runs the program of dist/ that is named:
// `node build.mjs`, `node build.mjs cli/main list`. Files of earlier builds stay, because processes may be reading them,
// and each file appears whole or not at all. `npm run check` checks the types.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'

const root = import.meta.dirname
const read = (path) => readFileSync(join(root, path), 'utf8')

async function build() {
  const esbuild = await import('esbuild')
  const common = { absWorkingDir: root, bundle: true, format: 'esm', write: false }
  const programs = esbuild.buildSync({
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
  })
  const small = { target: ['chrome111', 'firefox114', 'safari16.4'], minify: true }
  const { code: style } = esbuild.transformSync(read('src/doors/picker/style.css'), { ...small, loader: 'css' })
  const { version } = JSON.parse(read('package.json'))
  const assets = esbuild.buildSync({
    ...common,
    ...small,
    entryPoints: ['pages/style.css', 'pages/favicon.svg', 'pages/islands/*.ts', 'picker/picker.ts'].map(
      (path) => `src/doors/${path}`,
    ),
    outdir: 'dist/assets',
    entryNames: '[name]',
    loader: { '.svg': 'copy' },
    define: { PACKAGE_VERSION: JSON.stringify(version), PICKER_STYLE: JSON.stringify(style.trim()) },
    metafile: true,
  })
  for (const { path, contents } of [...programs.outputFiles, ...assets.outputFiles]) write(path, contents)
  // The licences of the packages that are built in for browsers.
  const inputs = Object.keys(assets.metafile.inputs)
  const names = new Set(inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))
  const notices = [...names].sort().map((name) => `${name}\n\n${read(`node_modules/${name}/LICENSE`).trim()}\n`)
  write(join(root, 'dist/THIRD-PARTY-NOTICES'), notices.join(`\n${'-'.repeat(72)}\n\n`))
}

function write(path, contents) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.${process.pid}`, contents)
  renameSync(`${path}.${process.pid}`, path)
}

// A digest of all that dist/ is built from. Times would not tell of older files put there later.
const digest = createHash('sha256')
const sources = readdirSync(join(root, 'src'), { recursive: true }).filter((name) => /\.\w+$/.test(name))
for (const path of ['build.mjs', 'package.json', ...sources.sort().map((name) => join('src', name))])
  digest.update(`${path}\0`).update(read(path))
const state = digest.digest('hex')
const builtFrom = join(root, 'dist/built-from')
if (!existsSync(builtFrom) || readFileSync(builtFrom, 'utf8') !== state) {
  await build()
  write(builtFrom, state)
}
// As in src/bin.ts.
module.enableCompileCache?.(join(root, 'dist/compile-cache'))
const [program] = process.argv.splice(2, 1)
if (program) await import(`./dist/${program}.js`)
