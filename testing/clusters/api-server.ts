import { get } from 'node:https'
import { type Certificate, servingCertificate } from '@portcullis/kube/internal/certificates.ts'
import type { Component } from './component.ts'
import type { ServiceAccountKeyFiles } from './service-account-keys.ts'
import { type Tokens, tokenFile } from './tokens.ts'
import type { Workspace } from './workspace.ts'

const probeTimeoutMs = 2_000

/** Within the workspace: all that service accounts ask, and what they are answered. */
export const auditLogName = 'audit.log'

const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  // A watch is logged as soon as it is answered: its end may never be seen.
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', userGroups: ['system:serviceaccounts'] }, { level: 'None' }],
}

export interface ApiServerSettings {
  readonly binary: string
  readonly port: number
  /** URL. */
  readonly etcd: string
  readonly authority: Certificate
  readonly tokens: Tokens
  readonly serviceAccountKeys: ServiceAccountKeyFiles
  /** A name beside localhost for which the serving certificate is valid. */
  readonly extraName?: string | undefined
  readonly extraFlags: readonly string[]
  /** It serves loopback only, and knows no kubelet, unless this is given. */
  readonly realNodes?: RealNodesSettings | undefined
}

/** What real nodes need of an API server: an address that they reach, rights of their own, and that it can ask their kubelets. */
export interface RealNodesSettings {
  readonly address: string
  /** At that address; `port` leads to it on this machine's loopback. */
  readonly port: number
  /** Other names for which its certificate is valid. */
  readonly names: readonly string[]
  /** For both families. */
  readonly serviceRange: string
  /** Proves to kubelets that it is the API server, for logs and exec. */
  readonly kubeletClient: Certificate
}

/** A kube-apiserver that can go away and come back, at the same address and with the same data. */
export class ApiServer {
  readonly url: string
  readonly #workspace: Workspace
  readonly #settings: ApiServerSettings
  readonly #flags: readonly string[]
  #component: Component | undefined

  static async prepare(workspace: Workspace, settings: ApiServerSettings): Promise<ApiServer> {
    return new ApiServer(workspace, settings, await writeFilesAndFlags(workspace, settings))
  }

  private constructor(workspace: Workspace, settings: ApiServerSettings, flags: readonly string[]) {
    this.url = `https://127.0.0.1:${settings.port}`
    this.#workspace = workspace
    this.#settings = settings
    this.#flags = flags
  }

  /** Resolves when requests are answered; does nothing while it runs. */
  async start(signal?: AbortSignal): Promise<void> {
    if (this.#component !== undefined && !this.#component.hasEnded) return
    this.#component = this.#workspace.launch('kube-apiserver', this.#settings.binary, this.#flags)
    await this.#component.ready(() => this.#isReady(), signal)
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#component?.stop(signal)
  }

  /** The `default` namespace is made by a loop that readyz does not wait for. */
  async #isReady(): Promise<boolean> {
    return (await this.#answers('/readyz')) && (await this.#answers('/api/v1/namespaces/default'))
  }

  #answers(path: string): Promise<boolean> {
    const { authority, tokens } = this.#settings
    return new Promise((resolve) => {
      const options = {
        agent: false,
        ca: authority.certificate,
        headers: { authorization: `Bearer ${tokens.admin}` },
        timeout: probeTimeoutMs,
      } as const
      const request = get(`${this.url}${path}`, options, (response) => {
        response.resume()
        resolve(response.statusCode === 200)
      })
      request.once('timeout', () => request.destroy())
      request.once('error', () => resolve(false))
    })
  }
}

async function writeFilesAndFlags(workspace: Workspace, settings: ApiServerSettings): Promise<string[]> {
  const { authority, tokens, etcd, serviceAccountKeys, extraFlags, extraName, realNodes } = settings
  const names = [...(extraName === undefined ? [] : [extraName]), ...(realNodes?.names ?? [])]
  const serving = await servingCertificate(authority, ...names)
  return [
    `--etcd-servers=${etcd}`,
    `--tls-cert-file=${await workspace.write('serving.crt', serving.certificate)}`,
    `--tls-private-key-file=${await workspace.write('serving.key', serving.key)}`,
    `--client-ca-file=${await workspace.write('ca.crt', authority.certificate)}`,
    `--token-auth-file=${await workspace.write('tokens.csv', tokenFile(tokens))}`,
    `--service-account-key-file=${serviceAccountKeys.publicKey}`,
    `--service-account-signing-key-file=${serviceAccountKeys.privateKey}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--allow-privileged=true',
    `--audit-policy-file=${await workspace.write('audit-policy.json', JSON.stringify(auditPolicy))}`,
    `--audit-log-path=${workspace.path(auditLogName)}`,
    // Else a graceful end waits a minute for open watches; so they are closed, and it takes a second.
    '--shutdown-watch-termination-grace-period=2s',
    ...(realNodes === undefined
      ? flagsForLoopback(settings.port)
      : await flagsForNodes(workspace, realNodes)),
    ...extraFlags,
  ]
}

function flagsForLoopback(port: number): string[] {
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    // Where nobody listens. By default it is the machine's own address, and a machine without a network has none.
    '--advertise-address=192.0.2.1',
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    // Else a pod can be created only after the controller manager has made its namespace's service account.
    '--disable-admission-plugins=ServiceAccount',
  ]
}

async function flagsForNodes(
  workspace: Workspace,
  { address, port, serviceRange, kubeletClient }: RealNodesSettings,
): Promise<string[]> {
  return [
    '--bind-address=0.0.0.0',
    `--secure-port=${port}`,
    `--advertise-address=${address}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    `--service-cluster-ip-range=${serviceRange}`,
    `--kubelet-client-certificate=${await workspace.write('kubelet-client.crt', kubeletClient.certificate)}`,
    `--kubelet-client-key=${await workspace.write('kubelet-client.key', kubeletClient.key)}`,
    '--kubelet-preferred-address-types=InternalIP',
  ]
}
