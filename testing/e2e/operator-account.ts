import { type Client, type ClusterAccess, kind } from '@portcullis/kube'
import type { Settings } from '@portcullis/operator'
import { admissionPolicy } from '@portcullis/operator/internal/manifests/admission-policy.ts'
import { operatorAccess } from '@portcullis/operator/internal/manifests/operator-access.ts'
import type { TokenRequest } from 'kubernetes-types/authentication/v1'
import type { SelfSubjectAccessReview as AccessReview } from 'kubernetes-types/authorization/v1'
import { eventually } from '../clusters/eventually.ts'
import { connect } from './start-manager.ts'
import type { TestCluster } from './test-cluster.ts'

const SelfSubjectAccessReview = kind<AccessReview>('authorization.k8s.io/v1', 'SelfSubjectAccessReview')
const TokenOfServiceAccount = kind<TokenRequest>('v1', 'ServiceAccount')

/** Makes the operator of a story who the manifests make it, with no more rights than they give. */
export async function accessOfTheOperator(
  testCluster: TestCluster,
  name: string,
  settings: Settings,
): Promise<ClusterAccess> {
  const { operatorNamespace, operandNamespace } = settings
  await grantAccess(testCluster, name, settings)
  const authorization = `Bearer ${await tokenOf(testCluster, operatorNamespace, name)}`
  const credential = { authorization }
  const access: ClusterAccess = {
    ...testCluster.access,
    credentials: { current: () => credential, rejected: async () => false },
  }
  const client = connect(access, 'portcullis')
  // The API server takes a moment to learn of new rights.
  try {
    await eventually(async () => {
      await mayI(client, { verb: 'list', resource: 'nodes' })
      await mayI(client, {
        verb: 'list',
        group: 'operator.openshift.io',
        resource: 'ingresscontrollers',
        namespace: operatorNamespace,
      })
      await mayI(client, {
        verb: 'list',
        group: 'apps',
        resource: 'deployments',
        namespace: operandNamespace,
      })
    })
  } finally {
    await client.close()
  }
  return access
}

async function mayI(client: Client, resourceAttributes: object): Promise<void> {
  const review = await client.create(SelfSubjectAccessReview, { spec: { resourceAttributes } })
  if (review.status?.allowed !== true) throw new Error(`Not yet: ${JSON.stringify(resourceAttributes)}`)
}

async function grantAccess(testCluster: TestCluster, name: string, settings: Settings): Promise<void> {
  const { client } = testCluster
  const { operatorNamespace, operandNamespace } = settings
  const options = { name, operatorNamespace, operandNamespace, openshift: false }
  // The sandbox does not enforce policies.
  const policies =
    testCluster.name === 'real' ? admissionPolicy({ ...settings, ...options, hostNetwork: true }) : []
  for (const object of [...policies, ...operatorAccess(options)]) {
    const { apiVersion, kind: of, metadata } = object
    const body = { type: 'apply', body: object, force: true } as const
    await client.patch(kind(apiVersion, of), metadata, body, { fieldManager: 'kubectl' })
  }
}

async function tokenOf({ client }: TestCluster, namespace: string, name: string): Promise<string> {
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
