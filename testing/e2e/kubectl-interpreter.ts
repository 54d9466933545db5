import { type Client, isNotFound, type Kind, Service } from '@portcullis/kube'
import { IngressController } from '@portcullis/operator'
import { stringify } from 'yaml'
import { eventually } from '../clusters/eventually.ts'

/** What documented commands and those of our messages are about. */
const kinds: Readonly<Record<string, Kind>> = {
  svc: Service,
  services: Service,
  ingresscontrollers: IngressController,
}

/** Understands as much of kubectl as documented commands and our messages use, for where there is no kubectl. */
export async function interpret(line: string, client: Client): Promise<string> {
  const { verb, namespace, target, rest } = parse(line)
  const [resource = '', name = ''] = target.split('/')
  const kind = kinds[resource]
  if (kind === undefined) throw new Error(`There is no resource "${resource}" in: ${line}`)
  const ref = { namespace, name }
  const options = { fieldManager: `kubectl-${verb}` }
  const merge = (body: object) => client.patch(kind, ref, { type: 'merge', body }, options)
  switch (verb) {
    case 'get':
      return stringify(await client.get(kind, ref))
    case 'patch':
      await merge(JSON.parse(rest.find((word) => word.startsWith('--patch='))?.slice(8) ?? '') as object)
      return `${target} patched`
    case 'annotate':
      await merge({ metadata: { annotations: pairs(rest) } })
      return `${target} annotated`
    case 'label':
      await merge({ metadata: { labels: pairs(rest) } })
      return `${target} labeled`
    case 'delete': {
      const { uid } = (await client.get(kind, ref)).metadata
      await client.delete(kind, ref)
      await eventually(async () => {
        if (await exists(client, kind, ref, uid)) throw new Error(`${target} is still there`)
      })
      return `${target} deleted`
    }
    default:
      throw new Error(`There is no command "${verb}" in: ${line}`)
  }
}

function parse(line: string) {
  const [program, flag, namespace = '', verb = '', target = '', ...rest] = words(line)
  if (program !== 'kubectl' || flag !== '-n') throw new Error(`Not of the form kubectl -n …: ${line}`)
  return { namespace, verb, target, rest }
}

/** As a POSIX shell takes a line apart, as far as single quotes go. */
function words(line: string): string[] {
  const pieces = /'([^']*)'|\\(.)|([^\s'\\]+)|(\s+)/g
  const result = ['']
  for (const [, quoted, escaped, plain, space] of line.matchAll(pieces)) {
    if (space === undefined) result.push((result.pop() ?? '') + (quoted ?? escaped ?? plain ?? ''))
    else result.push('')
  }
  return result
}

/** `key=value` sets, `key-` removes. */
function pairs(rest: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(
    rest
      .filter((word) => !word.startsWith('--'))
      .map((word): [string, string | null] => {
        const [key = '', ...value] = word.split('=')
        return value.length === 0 ? [key.replace(/-$/, ''), null] : [key, value.join('=')]
      }),
  )
}

async function exists(client: Client, kind: Kind, ref: { namespace: string; name: string }, uid: string) {
  try {
    return (await client.get(kind, ref)).metadata.uid === uid
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}
