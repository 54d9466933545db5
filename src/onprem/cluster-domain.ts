import type { Infrastructure } from '../api/infrastructure.ts'
import type { DeepReadonly } from '../kube/objects.ts'

const domainName = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)+$/

/** The cluster's domain, as `shop.example.com`, in which its API is `api` and its routers are below `apps`. */
export function clusterDomain({ status }: DeepReadonly<Infrastructure>, given?: string): string {
  const told = [
    given,
    hostBehind('api-int.', status?.apiServerInternalURI),
    hostBehind('api.', status?.apiServerURL),
    status?.etcdDiscoveryDomain,
  ].find((each) => each !== undefined && each !== '')
  if (told === undefined)
    throw new Error(
      'The Infrastructure does not tell the domain of the cluster: status.apiServerInternalURI and status.apiServerURL have none; give --domain, such as shop.example.com.',
    )
  const domain = told.toLowerCase().replace(/\.$/, '')
  if (!domainName.test(domain))
    throw new Error(`"${told}" is not the domain of a cluster; give --domain, such as shop.example.com.`)
  return domain
}

function hostBehind(prefix: string, url = ''): string | undefined {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return host.startsWith(prefix) ? host.slice(prefix.length) : undefined
}
