import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Client, type KubeObject, kind, type Persisted } from '@portcullis/kube'
import { type Condition, findCondition } from '@portcullis/kube/internal/objects/conditions.ts'
import { Deployment, Ingress, Lease, Namespace } from '@portcullis/kube/internal/objects/kinds.ts'
import { crds, IngressController } from '@portcullis/operator'
import { operatorAccess } from '@portcullis/operator/internal/manifests/operator-access.ts'
import type { TokenRequest } from 'kubernetes-types/authentication/v1'
import { type ControlPlane, startControlPlane } from '../testing/clusters/control-plane.ts'
import { kubeconfig } from '../testing/clusters/kubeconfig-file.ts'
import { type AuditedRequest, requestsOfOperators } from '../testing/installation/audit.ts'
import { connect } from './ingresses.ts'
import { OperatorProcess } from './operator-process.ts'
import { logProgress } from './progress.ts'
import { waitUntil } from './wait-until.ts'

export const operatorNamespace = 'operators'
export const operandNamespace = 'routers'
const account = 'portcullis'
const place = { name: account, operatorNamespace, operandNamespace, openshift: false }
const TokenOfServiceAccount = kind<TokenRequest>('v1', 'ServiceAccount')

/** A real API server on which an operator is installed with the rights that its manifests give it, and no others. */
export class InstalledCluster {
  readonly plane: ControlPlane
  /** The admin's. */
  readonly client: Client
  readonly #kubeconfig: string
  #page = 0

  private constructor(plane: ControlPlane, client: Client, kubeconfigPath: string) {
    this.plane = plane
    this.client = client
    this.#kubeconfig = kubeconfigPath
  }

  static async create(): Promise<InstalledCluster> {
    const plane = await startControlPlane({ parts: 'etcd+apiserver', log: logProgress })
    try {
      const client = await connect(plane.kubeconfigPath, 16)
      await install(client)
      const path = join(dirname(plane.kubeconfigPath), 'operator-kubeconfig')
      const { server, ca } = plane
      await writeFile(path, kubeconfig({ server, ca, user: account, token: await tokenOf(client) }))
      await mayLook(path)
      const cluster = new InstalledCluster(plane, client, path)
      await cluster.freeLease()
      return cluster
    } catch (error) {
      await plane.stop()
      throw error
    }
  }

  /** As a holder leaves it that gave it back: the next operator need not wait until it has run out. */
  async freeLease(): Promise<void> {
    const metadata = { namespace: operatorNamespace, name: 'portcullis' }
    const body = { metadata, spec: { holderIdentity: '', renewTime: '2020-01-01T00:00:00.000000Z' } }
    await this.client.patch(Lease, metadata, { type: 'apply', body, force: true }, { fieldManager: 'bench' })
  }

  /** A client with the operator's name and rights: the API server has to look these up, as it does not for an admin. */
  asOperator(): Promise<Client> {
    return connect(this.#kubeconfig, 1)
  }

  operator(flags: readonly string[] = []): OperatorProcess {
    const namespaces = ['--operator-namespace', operatorNamespace, '--operand-namespace', operandNamespace]
    return new OperatorProcess(this.#kubeconfig, [...namespaces, ...flags])
  }

  /** What operators have asked of the API server since `resetRequests`, by its own log. */
  async requests(): Promise<readonly AuditedRequest[]> {
    return (await requestsOfOperators(this.plane.auditLog)).slice(this.#page)
  }

  async resetRequests(): Promise<void> {
    this.#page = (await requestsOfOperators(this.plane.auditLog)).length
  }

  async close(): Promise<void> {
    await this.client.close()
    await this.plane.stop()
  }
}

/** `patch ingresses/status` */
export function lineOf({ verb, objectRef, requestURI }: AuditedRequest): string {
  if (objectRef === undefined) return `${verb} ${requestURI.split('?')[0]}`
  const { resource, subresource } = objectRef
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`
}

async function install(client: Client): Promise<void> {
  for (const name of [operatorNamespace, operandNamespace])
    await client.create(Namespace, { metadata: { name } })
  for (const object of [...crds, ...operatorAccess(place)]) {
    const { apiVersion, kind: of, metadata } = object
    await client.create(kind(apiVersion, of), { ...object, metadata })
  }
  for (const { spec } of crds) {
    const served = kind(`${spec.group}/${spec.versions[0]?.name}`, spec.names.kind)
    await waitUntil(
      async () => (await client.list(served)).items.length === 0,
      `${spec.names.kind} is served`,
    )
  }
  await waitUntil(
    async () => (await client.list(CustomResourceDefinition)).items.every(isCreatedAtOnce),
    'the API server no longer delays creations',
  )
}

const CustomResourceDefinition = kind<Definition>('apiextensions.k8s.io/v1', 'CustomResourceDefinition')

interface Definition extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/**
 * For two seconds after a kind is established, the API server delays each creation of one by two seconds (`justCreated` in
 * its customresource_handler.go). One second more, since the time of the condition is in whole seconds.
 */
function isCreatedAtOnce({ status }: Persisted<Definition>): boolean {
  const established = findCondition(status?.conditions, 'Established')?.lastTransitionTime ?? ''
  return Date.now() - Date.parse(established) > 3_000
}

/** The API server takes a moment to learn of new rights. */
async function mayLook(kubeconfigPath: string): Promise<void> {
  const client = await connect(kubeconfigPath, 1)
  const isGranted = async () => {
    await client.list(IngressController, { namespace: operatorNamespace })
    await client.list(Deployment, { namespace: operandNamespace })
    await client.list(Ingress)
    return true
  }
  await waitUntil(isGranted, 'the operator has its rights')
  await client.close()
}

async function tokenOf(client: Client): Promise<string> {
  const { status } = await client.create(
    TokenOfServiceAccount,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { namespace: operatorNamespace, name: account },
      spec: { audiences: [], expirationSeconds: 7200 },
    },
    { subresource: 'token' },
  )
  if (status === undefined) throw new Error(`No token was issued for ServiceAccount ${account}.`)
  return status.token
}
