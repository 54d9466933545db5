import { join } from 'node:path'
import { isObject } from '@portcullis/kube'
import { type ControllerManifest, quoted } from '@portcullis/operator'
import { type Document, parseAllDocuments } from 'yaml'
import type { CommandIO } from '../../io/command-io.ts'
import { printable } from '../../io/printable.ts'
import { readText } from '../../io/read-text.ts'
import { refuseInvalidMetadata } from '../../planned-change/admit-controller.ts'

/** An IngressController, and the file that contains it. */
export interface ControllerInFile {
  readonly source: string
  readonly controller: ControllerManifest
}

/**
 * Reads IngressControllers from YAML or JSON files, each with one or several.
 *
 * @param namespace of an IngressController that has no namespace in the file
 */
export async function readControllers(
  files: readonly string[],
  namespace: string,
  io: Pick<CommandIO, 'readInput'>,
): Promise<ControllerInFile[]> {
  const all: ControllerInFile[] = []
  for (const file of files) {
    const source = file === '-' ? 'stdin' : file
    const text = await read(io, file)
    const objects = objectsIn(text, source)
    if (objects.length === 0) throw new Error(`${source}: contains no IngressController.`)
    all.push(...objects.map((object) => ({ source, controller: controllerOf(object, source, namespace) })))
  }
  refuseDuplicates(all)
  return all
}

async function read(io: Pick<CommandIO, 'readInput'>, file: string): Promise<string> {
  try {
    return await readText(io, file, 'a file with IngressControllers')
  } catch (error) {
    const { code } = Object((error as Error).cause) as NodeJS.ErrnoException
    if (code !== 'EISDIR') throw error
    throw new Error(`${file} is a directory: specify the files in it (-f ${join(file, '*.yaml')}).`, {
      cause: error,
    })
  }
}

function objectsIn(text: string, source: string): unknown[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [problem] = document.errors
    if (problem !== undefined)
      throw new Error(`${source}: ${printable(problem.message.split('\n')[0] ?? '')}`)
    const value = valueOf(document, source)
    if (value === null || value === undefined) return []
    return isObject(value) && value['kind'] === 'List' && Array.isArray(value['items'])
      ? (value['items'] as unknown[])
      : [value]
  })
}

/** @throws if aliases expand to too many values, refer to nothing, or make an object contain itself */
function valueOf(document: Document, source: string): unknown {
  try {
    const value: unknown = document.toJS()
    if (!containsItself(value)) return value
  } catch (error) {
    throw new Error(
      `${source}: ${printable((error as Error).message)}: write out the values of its aliases.`,
      {
        cause: error,
      },
    )
  }
  throw new Error(`${source}: an alias (*name) refers to an object that contains it: write the value out.`)
}

function containsItself(value: unknown, ancestors: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (ancestors.includes(value)) return true
  return Object.values(value).some((part) => containsItself(part, [...ancestors, value]))
}

function controllerOf(object: unknown, source: string, namespace: string): ControllerManifest {
  const { apiVersion, kind, metadata, spec } = isObject(object) ? object : {}
  if (apiVersion !== 'operator.openshift.io/v1' || kind !== 'IngressController') {
    const what = `${asText(kind) ?? 'an object without a kind'} (${asText(apiVersion) ?? 'no apiVersion'})`
    throw new Error(
      `${source}: ${printable(what)} is not an IngressController (operator.openshift.io/v1); only those can be planned, so leave it out.`,
    )
  }
  const { name, namespace: own = namespace, labels, annotations } = isObject(metadata) ? metadata : {}
  if (typeof name !== 'string' || name === '')
    throw new Error(`${source}: metadata.name of an IngressController is missing; give it one.`)
  if (own !== namespace) {
    throw new Error(
      `${source}: IngressController "${printable(name)}" is in the namespace ${printable(String(own))}, not in ${namespace}: correct metadata.namespace, or use -n ${printable(quoted(String(own)))}.`,
    )
  }
  refuseInvalidMetadata(object as Record<string, unknown>, namespace, source)
  const meta = {
    namespace,
    name,
    ...(isObject(labels) && { labels }),
    ...(isObject(annotations) && { annotations }),
  }
  return { metadata: meta, ...(spec !== undefined && { spec }) } as ControllerManifest
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function refuseDuplicates(all: readonly ControllerInFile[]): void {
  const seen = new Map<string, string>()
  for (const { source, controller } of all) {
    const { name } = controller.metadata
    const other = seen.get(name)
    if (other !== undefined)
      throw new Error(
        `IngressController "${name}" is defined in ${other} and again in ${source}: remove one of them.`,
      )
    seen.set(name, source)
  }
}
