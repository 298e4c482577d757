/** docker-compose.yml and the Dockerfiles as an engine reads them, as far as this project uses what they can say. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DockerfileParser, Keyword, type Copy, type Instruction } from 'dockerfile-ast'
import { parse } from 'yaml'
import { ROOT, variablesOf } from '../process.ts'

export interface ComposeService {
  build?: string | { context: string; dockerfile: string }
  image: string
  command?: string[]
  depends_on?: Record<string, { condition: string }>
  environment?: Record<string, string>
  volumes?: string[]
  ports?: string[]
  profiles?: string[]
  read_only?: boolean
  tmpfs?: string[]
  cap_drop?: string[]
  security_opt?: string[]
  mem_limit?: string
  pids_limit?: number
  logging?: { driver: string; options: Record<string, string> }
  healthcheck?: { test?: string[]; disable?: boolean }
  networks?: string[] | Record<string, { aliases: string[] } | null>
}

export interface Compose {
  services: Record<string, ComposeService>
  volumes: Record<string, unknown>
}

/** docker-compose.yml with the variables of an environment in it. */
export async function readCompose(env: Record<string, string> = {}): Promise<Compose> {
  const text = await readFile(join(ROOT, 'docker-compose.yml'), 'utf8')
  const interpolate = (value: unknown): unknown => {
    if (typeof value === 'string') return interpolateText(value, env)
    if (Array.isArray(value)) return value.map(interpolate)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, interpolate(inner)]))
  }
  return interpolate(parse(text, { merge: true })) as Compose
}

/** Compose Specification, "Interpolation". */
function interpolateText(text: string, env: Record<string, string>): string {
  return text.replace(/\$(\$|\{(\w+)(?::(-)([^}]*))?\})/g, (_, what: string, name, operator, argument) => {
    if (what === '$') return '$'
    const value = env[name as string] ?? ''
    return value === '' && operator !== undefined ? (argument as string) : value
  })
}

/** The result of the last stage of a Dockerfile. */
export interface Image {
  from: string[]
  /** Its COPY lines: the source stage (undefined for the context), the paths, and the destination. */
  copies: { stage: string | undefined; sources: string[]; destination: string }[]
  /** The same of all stages before. */
  earlierCopies: { sources: string[] }[]
  env: Record<string, string>
  workdir: string
  user: string
  volumes: string[]
  /** The modes of the folders that it makes. */
  modes: Record<string, number>
  command: string[]
  healthcheck: string[]
}

/** Reads a Dockerfile, whose commands all have to be in the form of JSON. */
export async function readImage(path: string): Promise<Image> {
  const dockerfile = DockerfileParser.parse(await readFile(join(ROOT, path), 'utf8'))
  const stages: Instruction[][] = []
  for (const instruction of dockerfile.getInstructions()) {
    if (instruction.getKeyword() === (Keyword.FROM as string)) stages.push([])
    stages.at(-1)?.push(instruction)
  }
  const final = stages.at(-1)!
  const words = (keyword: string, among = final) =>
    among
      .filter((instruction) => instruction.getKeyword() === keyword)
      .map((instruction) => instruction.getExpandedArguments().map((argument) => argument.getValue()))
  const json = (text: string) => JSON.parse(text.slice(text.indexOf('['))) as string[]
  const content = (keyword: string) =>
    final
      .find((instruction) => instruction.getKeyword() === keyword)!
      .getArgumentsContent()!
      .replace(/\\\r?\n/g, ' ')
  const copies = (among: Instruction[]) =>
    among
      .filter((instruction): instruction is Copy => instruction.getKeyword() === (Keyword.COPY as string))
      .map((instruction) => {
        const paths = instruction.getArguments().map((argument) => argument.getValue())
        const stage = instruction.getFromFlag()?.getValue() ?? undefined
        return { stage, sources: paths.slice(0, -1), destination: paths.at(-1)! }
      })
  return {
    from: stages.flatMap((stage) => words(Keyword.FROM, stage)).map(([image]) => image!),
    copies: copies(final),
    earlierCopies: copies(stages.slice(0, -1).flat()),
    env: variablesOf(words(Keyword.ENV).flat()),
    workdir: words(Keyword.WORKDIR).at(-1)![0]!,
    user: words(Keyword.USER).at(-1)![0]!,
    volumes: json(content(Keyword.VOLUME)),
    modes: Object.fromEntries(
      [...content(Keyword.RUN).matchAll(/install -d [^&]*-m (\d+) (\/\w+)/g)].map(([, mode, path]) => [
        path!,
        parseInt(mode!, 8),
      ]),
    ),
    command: json(content(Keyword.CMD)),
    healthcheck: json(content(Keyword.HEALTHCHECK)),
  }
}
