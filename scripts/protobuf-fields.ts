// `npx tsx scripts/protobuf-fields.ts`: writes packages/sandbox/src/protobuf/fields.json, which number each field of the
// built-in kinds has in Kubernetes' protobuf messages. Types come from the .proto files in the source that the real
// control plane is built from, names from the struct tags beside them. Needs Go, as the real control plane does.
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { go } from '../testing/clusters/go-toolchain.ts'

const output = fileURLToPath(new URL('../packages/sandbox/src/protobuf/fields.json', import.meta.url))
const schemas = fileURLToPath(new URL('../packages/schema/src/kubernetes.json', import.meta.url))
const goModule = fileURLToPath(new URL('../testing/clusters/go/kubernetes', import.meta.url))

/** The JSON name, empty for what is inlined, and the type: `string`, `[]core/v1.Container`, `map:bytes`. */
type Field = readonly [name: string, type: string]
type Message = Record<string, Field>

const basic = new Set(['string', 'bool', 'bytes', 'int32', 'int64', 'double', 'float', 'uint32', 'uint64'])
const messages: Record<string, Message> = {}
const directories = new Map<string, string>()

/** `k8s.io.api.core.v1.Pod` lies in `k8s.io/api/core/v1`, and is `core/v1.Pod` here. */
function locate(full: string): { path: string; name: string; short: string } {
  const parts = full.replace(/^\.?k8s\.io\.(kube_aggregator|apiextensions_apiserver)/, (found) =>
    found.replace('_', '-'),
  )
  const [, , module = '', ...rest] = parts.replace(/^\./, '').split('.')
  const name = rest.pop() ?? ''
  return {
    path: `k8s.io/${module}/${rest.join('/')}`,
    name,
    short: `${rest.slice(-2).join('/')}.${name}`,
  }
}

async function directoryOf(path: string): Promise<string> {
  const module = path.split('/').slice(0, 2).join('/')
  let directory = directories.get(module)
  if (directory === undefined) {
    directory = await go(['list', '-m', '-f', '{{.Dir}}', module], { module: goModule })
    directories.set(module, directory)
  }
  return join(directory, path.slice(module.length))
}

async function sourceOf(path: string): Promise<{ proto: string; source: string }> {
  const directory = await directoryOf(path)
  const files = (await readdir(directory)).filter(
    (name) => name.endsWith('.go') && !/_test\.go$|^zz_|\.pb\.go$/.test(name),
  )
  const sources = await Promise.all(files.map((name) => readFile(join(directory, name), 'utf8')))
  return {
    proto: uncommented(await readFile(join(directory, 'generated.proto'), 'utf8')),
    source: uncommented(sources.join('\n')),
  }
}

const uncommented = (text: string) => text.replaceAll(/^\s*\/\/.*$/gm, '')

/** JSON names by field number, as the tags of a struct have them. */
function jsonNames(source: string, name: string): Map<string, string> {
  const body =
    new RegExp(`^(?:type )?\\s*${name} struct \\{\\n([\\s\\S]*?)^\\s*\\}`, 'm').exec(source)?.[1] ?? ''
  const names = new Map<string, string>()
  for (const [, tag = ''] of body.matchAll(/`([^`]*)`/g)) {
    const json = /json:"([^",]*)/.exec(tag)?.[1]
    const number = /protobuf:"\w+,(\d+)/.exec(tag)?.[1]
    if (json !== undefined && number !== undefined) names.set(number, json)
  }
  return names
}

async function define(full: string): Promise<string> {
  const { path, name, short } = locate(full)
  if (messages[short] !== undefined) return short
  const message: Message = {}
  messages[short] = message
  const { proto, source } = await sourceOf(path)
  const body = new RegExp(`^message ${name} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(proto)?.[1]
  if (body === undefined) throw new Error(`${path} has no message ${name}`)
  const names = jsonNames(source, name)
  const typeOf = async (type: string): Promise<string> => {
    if (basic.has(type)) return type
    return define(
      type.includes('.') ? type : `${path.replace('k8s.io/', 'k8s.io.').replaceAll('/', '.')}.${type}`,
    )
  }
  const fields = body.matchAll(
    /^\s*(repeated |optional |required )?(map<string, ([\w.]+)>|[\w.]+) (\w+) = (\d+)/gm,
  )
  for (const [, label = '', type = '', value, field = '', number = ''] of fields) {
    const json = names.get(number) ?? field
    if (value !== undefined) message[number] = [json, `map:${await typeOf(value)}`]
    else message[number] = [json, `${label === 'repeated ' ? '[]' : ''}${await typeOf(type)}`]
  }
  return short
}

const { kinds } = JSON.parse(await readFile(schemas, 'utf8')) as { kinds: Record<string, string> }
for (const short of Object.values(kinds)) {
  if (short.startsWith('meta/')) await define(`k8s.io.apimachinery.pkg.apis.${short.replace('/', '.')}`)
  else if (short.startsWith('apiextensions/'))
    await define(`k8s.io.apiextensions_apiserver.pkg.apis.${short.replace('/', '.')}`)
  else await define(`k8s.io.api.${short.replace('/', '.')}`)
}
const sorted = Object.fromEntries(
  Object.keys(messages)
    .toSorted()
    .map((name) => [name, messages[name]]),
)
await writeFile(output, `${JSON.stringify(sorted)}\n`)
await promisify(execFile)('npx', ['biome', 'format', '--write', output])
console.log(`wrote ${output}`)
