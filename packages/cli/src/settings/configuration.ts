import { readFile } from 'node:fs/promises'
import { nearestName } from '@portcullis/kube'
import { type Command, Option } from 'commander'
import { parse } from 'yaml'
import type { z } from 'zod'

type Values = Readonly<Record<string, unknown>>

/** Adds a flag for every field of a schema, so that every setting of the file can be set on the command line. */
export function addFlags(command: Command, schema: z.ZodObject): Command {
  for (const [field, type] of Object.entries<z.ZodType>(schema.shape)) {
    const option = flagOf(field, type)
    if (option !== undefined) command.addOption(option)
  }
  return command
}

/** A map has no flag: it can be set in the file only. */
function flagOf(field: string, type: z.ZodType): Option | undefined {
  const { kind, defaultValue, choices } = zodTypeParts(type)
  const name = `--${kebab(field)}`
  const defaultText =
    defaultValue === undefined || kind === 'boolean' || kind === 'array'
      ? ''
      : ` (default: ${JSON.stringify(defaultValue)})`
  const description = `${type.description ?? ''}${defaultText}`
  switch (kind) {
    case 'boolean':
      return new Option(
        defaultValue === true ? `--no-${kebab(field)}` : name,
        defaultValue === true ? `do not ${description}` : description,
      )
    case 'array':
      return new Option(`${name} <value>`, `${description}; repeatable`).argParser(
        (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
      )
    case 'record':
      return undefined
    default: {
      const option = new Option(`${name} <${kind === 'number' ? 'n' : 'value'}>`, description)
      return choices === undefined ? option : option.choices(choices)
    }
  }
}

interface ZodTypeParts {
  readonly kind: string
  readonly defaultValue: unknown
  readonly choices: string[] | undefined
}

function zodTypeParts(type: z.ZodType): ZodTypeParts {
  const { def } = type as unknown as {
    def: { type: string; innerType?: z.ZodType; defaultValue?: unknown; entries?: object }
  }
  if (def.innerType !== undefined)
    return {
      ...zodTypeParts(def.innerType),
      ...(def.type === 'default' && { defaultValue: def.defaultValue }),
    }
  return { kind: def.type, defaultValue: undefined, choices: def.entries && Object.keys(def.entries) }
}

type Origin = 'flag' | 'file' | 'default'

export interface ReadConfiguration<S extends z.ZodObject> {
  readonly configuration: z.output<S>
  /** Where each setting came from. */
  readonly origins: Readonly<Record<string, Origin>>
}

/**
 * Reads the settings: flags take precedence over the file, and the file over the defaults.
 *
 * @throws a sentence for each field that is wrong, with its value and where it was given
 */
export async function readConfiguration<S extends z.ZodObject>(
  schema: S,
  file: string | undefined,
  command: Command,
): Promise<ReadConfiguration<S>> {
  const inFile = file === undefined ? {} : await readValues(file)
  const flags = givenFlags(schema, command)
  const known = Object.keys(schema.shape)
  const result = schema.safeParse({ ...inFile, ...flags })
  if (result.success) {
    const origin = (field: string): Origin =>
      Object.hasOwn(flags, field) ? 'flag' : Object.hasOwn(inFile, field) ? 'file' : 'default'
    return {
      configuration: result.data,
      origins: Object.fromEntries(known.map((field) => [field, origin(field)])),
    }
  }
  const problems = result.error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => `${file}: unknown setting ${key}.${hintFor(key, known)}`)
    const [field] = issue.path.map(String)
    const isFlag = field !== undefined && Object.hasOwn(flags, field)
    const place = isFlag ? `--${kebab(field)}` : `${file}: ${issue.path.join('.')}`
    const value = JSON.stringify((isFlag ? flags : inFile)[field ?? ''])
    return [`${place} is ${value}: ${issue.message}.`]
  })
  throw new Error(problems.join('\n'))
}

function hintFor(unknown: string, known: readonly string[]): string {
  const meant = nearestName(unknown, known)
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}

/** The settings as a configuration file, each with a comment that names its origin. */
export function configurationText({ configuration, origins }: ReadConfiguration<z.ZodObject>): string {
  return Object.entries(origins)
    .map(([field, origin]) => {
      const value = (configuration as Values)[field]
      return value === undefined ? `# ${field} is not set` : `${field}: ${JSON.stringify(value)} # ${origin}`
    })
    .join('\n')
}

async function readValues(file: string): Promise<Values> {
  let values: unknown
  try {
    values = parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new Error(`Cannot read the configuration file ${file}: ${(error as Error).message}`, {
      cause: error,
    })
  }
  if (values === null || values === undefined) return {}
  if (typeof values === 'object' && !Array.isArray(values)) return values as Values
  throw new Error(
    `The configuration file ${file} must hold a map of settings, such as "domain: apps.example.com".`,
  )
}

/** The flags of the command line, without defaults; numbers as numbers, since flags are text. */
function givenFlags(schema: z.ZodObject, command: Command): Values {
  const fields = Object.entries<z.ZodType>(schema.shape)
  return Object.fromEntries(
    fields.flatMap(([field, type]) => {
      if (command.getOptionValueSource(field) !== 'cli') return []
      const value: unknown = command.getOptionValue(field)
      const isNumber = zodTypeParts(type).kind === 'number' && /^-?\d+$/.test(String(value))
      return [[field, isNumber ? Number(value) : value]]
    }),
  )
}

function kebab(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
