import { dirname, resolve } from 'node:path'
import { type Place, type Problems } from './kubeconfig-error.ts'
import type { Fields } from './kubeconfig-fields.ts'
import { readTextFile } from './text-file.ts'

/** A certificate, a key or a bundle of authorities: written into the kubeconfig, or in a file that it names. */
export type Material =
  | { readonly kind: 'inline'; readonly place: Place; readonly base64: string }
  | { readonly kind: 'file'; readonly place: Place; readonly path: string }

/** `name-data` if it is set, else the file in `name`: what is inline wins, as the kubeconfig reference says. */
export function materialIn(fields: Fields, name: string): Material | undefined {
  const dataName = `${name}-data`
  const base64 = fields.text(dataName)
  if (base64 !== undefined) return { kind: 'inline', place: fields.at(dataName), base64 }
  const path = fields.text(name)
  if (path === undefined) return undefined
  return { kind: 'file', place: fields.at(name), path: besideItsFile(fields.place, path) }
}

/** A relative path in a kubeconfig starts from the folder of that file, not from where the program runs. */
export function besideItsFile({ source }: Place, path: string): string {
  return resolve(dirname(source), path)
}

/** The text, if it can be had and `check` finds nothing wrong with it. */
export async function readMaterial(
  material: Material,
  check: (text: string) => string | undefined,
  problems: Problems,
): Promise<string | undefined> {
  const text = material.kind === 'inline' ? decode(material, problems) : await readFile(material, problems)
  if (text === undefined) return undefined
  const problem = check(text)
  if (problem === undefined) return text
  problems.add(material.place, material.kind === 'inline' ? problem : `${material.path} ${problem}`)
  return undefined
}

async function readFile(
  { place, path }: Extract<Material, { kind: 'file' }>,
  problems: Problems,
): Promise<string | undefined> {
  const file = await readTextFile(path)
  if (file.kind === 'text') return file.text
  problems.add(place, file.problem)
  return undefined
}

function decode(
  { place, base64 }: Extract<Material, { kind: 'inline' }>,
  problems: Problems,
): string | undefined {
  const encoded = base64.replaceAll(/\s/g, '')
  if (isBase64(encoded)) return Buffer.from(encoded, 'base64').toString('utf8')
  problems.add(
    place,
    encoded.startsWith('-----BEGIN')
      ? 'is PEM, but must be the base64 of it; encode it with `base64`, or keep it in a file and name the file in the field without "-data"'
      : 'is not base64; copy it again, it may have been cut off',
  )
  return undefined
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}
