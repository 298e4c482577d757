// Takes a list of all packages (CycloneDX, from `npm sbom`) and gives that of the packages in an image: those that are
// installed there, and those that are built into dist/. The others only build and test.
import { readFileSync } from 'node:fs'
import { json } from 'node:stream/consumers'
import process from 'node:process'

const notices = readFileSync('dist/THIRD-PARTY-NOTICES', 'utf8')
const builtIn = new Set(
  [...notices.matchAll(/^((?:@[^/\s]+\/)?[^/\s]+) (\S+) \(.*\)$/gm)].map(([, name, version]) => `${name}@${version}`),
)
const sbom = await json(process.stdin)
const isDevelopment = ({ properties = [] }) => properties.some(({ name }) => name === 'cdx:npm:package:development')
const fullName = ({ name, version }) => `${name}@${version}`
sbom.components = sbom.components.filter((one) => !isDevelopment(one) || builtIn.has(fullName(one)))
const kept = new Set([sbom.metadata.component['bom-ref'], ...sbom.components.map((one) => one['bom-ref'])])
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }))
process.stdout.write(JSON.stringify(sbom, undefined, 2))
