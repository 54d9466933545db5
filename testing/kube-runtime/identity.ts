import { type Client, type KubeObject, kind } from '@portcullis/kube'

export interface Identity {
  readonly username: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

interface Review extends KubeObject {
  status?: { userInfo: Identity }
}

const SelfSubjectReview = kind<Review>('authentication.k8s.io/v1', 'SelfSubjectReview')

/** Who the API server takes us for. */
export async function identity(client: Client): Promise<Identity> {
  const { status } = await client.create(SelfSubjectReview, {})
  if (status === undefined) throw new Error('the API server did not say who we are')
  return status.userInfo
}

/** The name by which the API server knows us. */
export async function whoami(client: Client): Promise<string> {
  return (await identity(client)).username
}
