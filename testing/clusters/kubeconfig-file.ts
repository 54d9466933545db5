import { stringify } from 'yaml'

export interface KubeconfigContent {
  readonly server: string
  /** PEM. */
  readonly ca: string
  readonly user: string
  readonly token: string
}

/** A kubeconfig with one cluster, one user and one context, which needs no other file. */
export function kubeconfig({ server, ca, user, token }: KubeconfigContent): string {
  const name = 'portcullis-control-plane'
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [
      { name, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user, namespace: 'default' } }],
  })
}
