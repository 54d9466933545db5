import { dirname, join } from 'node:path'
import { type Certificate, clientCertificate } from '@portcullis/kube/internal/certificates.ts'
import type { Binaries } from './binaries.ts'
import { compact } from './etcd.ts'
import { type CommandResult, run } from './run-command.ts'
import type { Tokens } from './tokens.ts'

/** All that is needed to use a control plane that runs elsewhere: plain data, which can cross to another process. */
export interface ControlPlaneCoordinates {
  /** The API server's URL. */
  readonly server: string
  /** Signed the API server's certificate; signs its users'. */
  readonly authority: Certificate
  readonly tokens: Tokens
  /** The admin's. */
  readonly kubeconfigPath: string
  /** etcd's URL. */
  readonly etcd: string
  /** The audit log of the requests of service accounts. */
  readonly auditLog: string
  readonly binaries: Binaries
}

export interface KubectlOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** What everybody may do with a control plane. To stop it, or parts of it, is up to the process that started it. */
export class ControlPlaneHandle {
  readonly coordinates: ControlPlaneCoordinates

  constructor(coordinates: ControlPlaneCoordinates) {
    this.coordinates = coordinates
  }

  get server(): string {
    return this.coordinates.server
  }

  /** PEM. */
  get ca(): string {
    return this.coordinates.authority.certificate
  }

  get adminToken(): string {
    return this.coordinates.tokens.admin
  }

  /** Of a user without any right. */
  get unprivilegedToken(): string {
    return this.coordinates.tokens.nobody
  }

  get kubeconfigPath(): string {
    return this.coordinates.kubeconfigPath
  }

  get auditLog(): string {
    return this.coordinates.auditLog
  }

  get binaries(): Binaries {
    return this.coordinates.binaries
  }

  /** A bearer token for any user name and groups. */
  clientCertificate(user: string, groups: readonly string[] = []): Promise<Certificate> {
    return clientCertificate(this.coordinates.authority, user, groups)
  }

  /** Runs the real kubectl as the admin, untouched by the settings of the person who runs the tests. */
  kubectl(args: readonly string[], { input, env, signal }: KubectlOptions = {}): Promise<CommandResult> {
    const cache = join(dirname(this.kubeconfigPath), 'kubectl-cache')
    return run(this.binaries.kubectl, args, {
      ...(input === undefined ? {} : { input }),
      env: { KUBECONFIG: this.kubeconfigPath, KUBECACHEDIR: cache, KUBERC: 'off', ...env },
      signal,
    })
  }

  /**
   * Makes etcd forget all history, and returns the revision that is left. The API server still answers from its
   * watch cache what that remembers; a restart empties it.
   */
  compactEtcd(): Promise<string> {
    return compact(this.coordinates.etcd)
  }
}
