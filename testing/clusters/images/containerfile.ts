import { posix } from 'node:path'
import type { ImageConfig } from './oci-archive.ts'

/** What a Containerfile of two stages makes: one that builds, and one that takes files from it. */
export interface Containerfile {
  /** What both stages stand on. */
  readonly base: string
  /** Where in the stage that builds the sources are. */
  readonly sources: string
  /** Of the image, on top of what the base has. */
  readonly config: ImageConfig
  readonly copies: readonly Copy[]
}

export interface Copy {
  /** Relative to the sources. */
  readonly from: string
  /** In the image, without a slash in front. */
  readonly to: string
}

interface Instruction {
  readonly name: string
  readonly rest: string
}

/** Refuses what it does not know: an image that is made otherwise than the Containerfile says would be no use. */
export function readContainerfile(text: string): Containerfile {
  const [before, ...stages] = stagesOf(instructionsOf(text))
  const [build, image] = stages
  if (before?.length !== 0 || build === undefined || image === undefined || stages.length !== 2)
    throw new Error(
      `A Containerfile of two stages is expected, each from FROM on; this one has ${stages.length}.`,
    )
  const bases = new Set([build, image].map(([from]) => from?.rest.split(/\s+/)[0] ?? ''))
  const [base = ''] = bases
  if (bases.size > 1) throw new Error(`Its stages stand on different images: ${[...bases].join(', ')}.`)
  const sources = build.findLast(({ name }) => name === 'WORKDIR')?.rest
  if (sources === undefined) throw new Error('The first stage has no WORKDIR; it is where the sources are.')
  const of = (name: string) =>
    image.filter((instruction) => instruction.name === name).map(({ rest }) => rest)
  const unknown = image.find(({ name }) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(
      `"${unknown.name} ${unknown.rest}" is not understood here; known are ${known.join(', ')}.`,
    )
  const user = of('USER').at(-1)
  const entrypoint = of('ENTRYPOINT').at(-1)
  const command = of('CMD').at(-1)
  const config: ImageConfig = {
    ...(user !== undefined && { User: user }),
    ...(entrypoint !== undefined && { Entrypoint: execForm(entrypoint) }),
    ...(command !== undefined && { Cmd: execForm(command) }),
    Labels: Object.fromEntries(of('LABEL').flatMap(labels)),
  }
  return { base, sources, config, copies: of('COPY').flatMap((rest) => copies(rest, build, sources)) }
}

const known = ['FROM', 'LABEL', 'COPY', 'USER', 'ENTRYPOINT', 'CMD']

function instructionsOf(text: string): readonly Instruction[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [name = ''] = line.split(' ', 1)
      return { name: name.toUpperCase(), rest: line.slice(name.length).trim() }
    })
}

/** The first one is what is before the first FROM. */
function stagesOf(instructions: readonly Instruction[]): readonly (readonly Instruction[])[] {
  const stages: Instruction[][] = [[]]
  for (const instruction of instructions) {
    if (instruction.name === 'FROM') stages.push([])
    stages.at(-1)?.push(instruction)
  }
  return stages
}

function execForm(rest: string): readonly string[] {
  if (!rest.startsWith('['))
    throw new Error(`"${rest}" needs a shell to start; write it as a list: ["node", …].`)
  return JSON.parse(rest) as readonly string[]
}

function labels(rest: string): readonly (readonly [string, string])[] {
  const found = [...rest.matchAll(/([^\s="]+)="([^"]*)"/g)]
  if (found.map(([all]) => all).join(' ') !== rest)
    throw new Error(`"LABEL ${rest}" is not understood here; write NAME="VALUE" for each.`)
  return found.map(([, name = '', value = '']) => [name, value] as const)
}

function copies(rest: string, build: readonly Instruction[], sources: string): readonly Copy[] {
  const words = rest.split(/\s+/)
  const to = words.at(-1) ?? ''
  const [stage, ...from] = words.slice(0, -1)
  const name = build[0]?.rest.split(/\s+/).at(-1)
  if (stage !== `--from=${name}` || from.some((path) => !path.startsWith(`${sources}/`)))
    throw new Error(
      `"COPY ${rest}" is not understood here; it takes files below ${sources} from the first stage.`,
    )
  if (!to.startsWith('/') || (from.length > 1 && !to.endsWith('/')))
    throw new Error(
      `"COPY ${rest}" is not understood here; several files go into a directory that ends in "/".`,
    )
  return from.map((path) => ({
    from: path.slice(sources.length + 1),
    to: (to.endsWith('/') ? posix.join(to, posix.basename(path)) : to).slice(1),
  }))
}
