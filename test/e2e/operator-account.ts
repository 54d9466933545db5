import type { TokenRequest } from 'kubernetes-types/authentication/v1'
import { IngressController } from '../../src/ingress/kinds.ts'
import type { Settings } from '../../src/ingress/settings.ts'
import type { ClusterAccess } from '../../src/kube/access/access.ts'
import { Deployment, Node } from '../../src/kube/kinds.ts'
import { kind } from '../../src/kube/objects.ts'
import { operatorAccess } from '../../src/manifests/operator-access.ts'
import { eventually } from '../kube/cluster.ts'
import type { Bed } from './bed.ts'
import { connect } from './connect.ts'

const TokenOfServiceAccount = kind<TokenRequest>('v1', 'ServiceAccount')

/** Makes the operator of a story who the manifests make it, with no more rights than they give. */
export async function accessOfTheOperator(
  bed: Bed,
  name: string,
  settings: Settings,
): Promise<ClusterAccess> {
  const { operatorNamespace, operandNamespace } = settings
  await grantAccess(bed, name, settings)
  const authorization = `Bearer ${await tokenOf(bed, operatorNamespace, name)}`
  const credential = { authorization }
  const access: ClusterAccess = {
    ...bed.access,
    credentials: { current: () => credential, rejected: async () => false },
  }
  const client = connect(access, 'portcullis')
  try {
    // The API server takes a moment to learn of new rights.
    await eventually(() => client.list(Node))
    await eventually(() => client.list(IngressController, { namespace: operatorNamespace }))
    await eventually(() => client.list(Deployment, { namespace: operandNamespace }))
  } finally {
    await client.close()
  }
  return access
}

async function grantAccess({ client }: Bed, name: string, settings: Settings): Promise<void> {
  const { operatorNamespace, operandNamespace } = settings
  const options = { name, operatorNamespace, operandNamespace }
  for (const object of operatorAccess(options)) {
    const { apiVersion, kind: of, metadata } = object
    const body = { type: 'apply', body: object, force: true } as const
    await client.patch(kind(apiVersion, of), metadata, body, { fieldManager: 'kubectl' })
  }
}

async function tokenOf({ client }: Bed, namespace: string, name: string): Promise<string> {
  const { status } = await client.create(
    TokenOfServiceAccount,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { namespace, name },
      spec: { audiences: [], expirationSeconds: 3600 },
    },
    { subresource: 'token' },
  )
  if (status === undefined) throw new Error(`No token was issued for ServiceAccount ${namespace}/${name}`)
  return status.token
}
