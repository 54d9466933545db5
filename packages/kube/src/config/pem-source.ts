import { dirname, resolve } from 'node:path'
import type { ConfigLocation, Problems } from './kubeconfig-error.ts'
import type { Fields } from './kubeconfig-fields.ts'
import { readTextFile } from './text-file.ts'

/** A certificate, a key or a bundle of authorities: written into the kubeconfig, or in a file that it names. */
export type PemSource =
  | { readonly kind: 'inline'; readonly location: ConfigLocation; readonly base64: string }
  | { readonly kind: 'file'; readonly location: ConfigLocation; readonly path: string }

/** `name-data` if it is set, else the file in `name`: what is inline wins, as the kubeconfig reference says. */
export function pemSourceIn(fields: Fields, name: string): PemSource | undefined {
  const dataName = `${name}-data`
  const base64 = fields.text(dataName)
  if (base64 !== undefined) return { kind: 'inline', location: fields.at(dataName), base64 }
  const path = fields.text(name)
  if (path === undefined) return undefined
  return { kind: 'file', location: fields.at(name), path: resolveBesideFile(fields.location, path) }
}

/** A relative path in a kubeconfig starts from the folder of that file, not from where the program runs. */
export function resolveBesideFile({ source }: ConfigLocation, path: string): string {
  return resolve(dirname(source), path)
}

/** The text, if it can be had and `check` finds nothing wrong with it. */
export async function readPem(
  source: PemSource,
  check: (text: string) => string | undefined,
  problems: Problems,
): Promise<string | undefined> {
  const text = source.kind === 'inline' ? decode(source, problems) : await readFile(source, problems)
  if (text === undefined) return undefined
  const problem = check(text)
  if (problem === undefined) return text
  problems.add(source.location, source.kind === 'inline' ? problem : `${source.path} ${problem}`)
  return undefined
}

async function readFile(
  { location, path }: Extract<PemSource, { kind: 'file' }>,
  problems: Problems,
): Promise<string | undefined> {
  const file = await readTextFile(path)
  if (file.kind === 'text') return file.text
  problems.add(location, file.problem)
  return undefined
}

function decode(
  { location, base64 }: Extract<PemSource, { kind: 'inline' }>,
  problems: Problems,
): string | undefined {
  const encoded = base64.replaceAll(/\s/g, '')
  if (isBase64(encoded)) return Buffer.from(encoded, 'base64').toString('utf8')
  problems.add(
    location,
    encoded.startsWith('-----BEGIN')
      ? 'is PEM, but must be the base64 of it; encode it with `base64`, or keep it in a file and name the file in the field without "-data"'
      : 'is not base64; copy it again, it may have been cut off',
  )
  return undefined
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}
