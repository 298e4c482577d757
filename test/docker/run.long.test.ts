/**
 * docs/installation.md, "With Docker": one container over the embedded store. Without an engine, its commands run as
 * processes with the files, the command, the environment, the user and the volume of the image.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort } from '../process.ts'
import { shownCommands } from '../shown-commands.ts'
import { readImage, type Image } from './compose.ts'
import { Container, newContainerFolder } from './container.ts'

const [build, run, load, stop] = (await shownCommands('docs/installation.md')).filter((command) =>
  /^docker (?!compose)/.test(command),
) as [string, string, string, string]

/** The words of a command, and the values of its options by name. */
function readCommand(command: string): { words: string[]; options: Record<string, string> } {
  const options: Record<string, string> = {}
  const rest = command.replace(/ --(\w+)(?: ([^-\s]\S*))?/g, (all, name: string, value = '') => {
    const isFlag = ['detach', 'interactive'].includes(name)
    options[name] = isFlag ? '' : value
    return isFlag && value !== '' ? ` ${value}` : ''
  })
  return { words: rest.split(' '), options }
}

describe('docker run', () => {
  const { options } = readCommand(run)
  let directory: string
  let image: Image
  let port: number
  let container: Container

  beforeAll(async () => {
    directory = await newContainerFolder()
    image = await readImage('Dockerfile')
    port = await freePort()
    container = await newContainer()
  })
  afterAll(async () => {
    await container?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  const newContainer = async () => {
    const made = new Container({
      image,
      service: { image: 'vocabulary-service', volumes: [options['volume']!] },
      root: join(directory, 'service'),
      volumes: join(directory, 'volumes'),
      replacements: [
        ['0.0.0.0', '127.0.0.1'],
        ['3000', String(port)],
      ],
    })
    await made.build()
    return made
  }
  const names = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/voc`)
    return ((await answer.json()) as { notation: string[] }[]).map(({ notation }) => notation[0])
  }

  test('takes four lines, whose image, name, port and volume are those of the Dockerfile and of each other', () => {
    expect([readCommand(build).words, readCommand(build).options]).toEqual([
      ['docker', 'build', '.'],
      { tag: 'vocabulary-service' },
    ])
    expect(readCommand(run).words).toEqual(['docker', 'run', 'vocabulary-service'])
    expect(options['publish']).toMatch(new RegExp(`^127\\.0\\.0\\.1:3000:${image.env['PORT']}$`))
    expect([options['volume']!.split(':')[1]]).toEqual(image.volumes)
    expect(readCommand(load).words.slice(0, 3)).toEqual(['docker', 'exec', options['name']])
    expect([readCommand(stop).words, readCommand(stop).options]).toEqual([
      ['docker', 'stop', options['name']],
      { time: '30' },
    ])
  })

  test('starts, is healthy, loads a file from standard input, and stops in order', async () => {
    container.start()
    await container.untilHealthy()
    expect(await names()).toEqual(['crafts', 'materials'])
    const text = '<http://example.org/my> a skos:ConceptScheme . <http://example.org/my/a> a skos:Concept .'
    await writeFile(join(directory, 'my.ttl'), `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . ${text}`)
    const [inside, file] = load.split(` ${options['name']} `)[1]!.split(' < ')
    await container.run(inside!.split(' '), await readFile(join(directory, file!)))
    expect(await names()).toEqual(['crafts', 'materials', 'my'])
    expect(await container.stop()).toBe(0)
  })

  test('finds its data in the volume when it is made anew', async () => {
    expect(container.isRunning).toBe(false)
    container = await newContainer()
    container.start()
    await container.untilHealthy()
    expect(await names()).toEqual(['crafts', 'materials', 'my'])
  })
})
