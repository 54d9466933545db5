import type { ClusterAccess } from './access.ts'
import type { Problems } from './kubeconfig-error.ts'
import { Fields } from './kubeconfig-fields.ts'
import type { Entry } from './kubeconfig-file.ts'
import { certificateProblem } from './pem.ts'
import { pemSourceIn, readPem } from './pem-source.ts'

/** The cluster that a context names: where it is and how it proves that it is the right one. */
export interface Cluster {
  readonly server: URL
  readonly tls: ClusterAccess['tls']
  readonly proxy?: URL
  readonly disableCompression: boolean
  /** What credential plugins get of this cluster, as `KUBERNETES_EXEC_INFO`. */
  readonly pluginConfig?: unknown
}

/** The extension of a cluster whose content is meant for credential plugins. */
const pluginExtension = 'client.authentication.k8s.io/exec'

export async function readCluster(entry: Entry, problems: Problems): Promise<Cluster | undefined> {
  const fields = new Fields(entry.location, entry.values, problems)
  const server = readServer(fields)
  const proxy = readProxy(fields)
  const tls = await readTls(fields, problems)
  const pluginConfig = fields
    .mappings('extensions')
    .find((extension) => extension.raw('name') === pluginExtension)
    ?.raw('extension')
  const disableCompression = fields.flag('disable-compression')
  if (server === undefined) return undefined
  return { server, tls, ...(proxy && { proxy }), disableCompression, pluginConfig }
}

function readServer(fields: Fields): URL | undefined {
  const text = fields.text('server')
  if (text === undefined) {
    if (fields.raw('server') === undefined || fields.raw('server') === '') {
      fields.problem(
        'server',
        'is missing; write the URL of the API server, for example https://10.0.0.1:6443',
      )
    }
    return undefined
  }
  const url = parseUrl(text)
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    fields.problem('server', `"${withoutUserInfo(text)}" is not an http or https URL${schemeHint(text)}`)
    return undefined
  }
  if (url.username !== '' || url.password !== '') {
    fields.problem('server', 'holds a user name or password; put them into the user of the context')
    return undefined
  }
  url.search = ''
  url.hash = ''
  return url
}

function schemeHint(text: string): string {
  if (text.includes('://')) return '; it must start with https:// or http://'
  return URL.canParse(`https://${text}`) ? `; write https://${withoutUserInfo(text)}` : ''
}

function readProxy(fields: Fields): URL | undefined {
  const text = fields.text('proxy-url')
  if (text === undefined) return undefined
  const url = parseUrl(text)
  if (url !== undefined && ['http:', 'https:', 'socks5:'].includes(url.protocol)) return url
  fields.problem(
    'proxy-url',
    `"${withoutUserInfo(text)}" is not the URL of a proxy; it must start with http://, https:// or socks5://`,
  )
  return undefined
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

/** URLs are shown in errors, but the password in them is not. */
function withoutUserInfo(url: string): string {
  return url.replace(/^([^/]*\/\/)?.*@/s, '$1…@')
}

async function readTls(fields: Fields, problems: Problems): Promise<ClusterAccess['tls']> {
  const insecureSkipVerify = fields.flag('insecure-skip-tls-verify')
  const serverName = fields.text('tls-server-name')
  const authority = pemSourceIn(fields, 'certificate-authority')
  if (insecureSkipVerify && authority !== undefined) {
    fields.problem(
      'insecure-skip-tls-verify',
      'is true although a certificate authority is given; remove one: without the check the authority has no use',
    )
  }
  const ca = authority === undefined ? undefined : await readPem(authority, certificateProblem, problems)
  return {
    ...(ca !== undefined && { ca }),
    ...(serverName !== undefined && { serverName }),
    insecureSkipVerify,
  }
}
