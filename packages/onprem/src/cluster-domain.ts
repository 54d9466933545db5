import type { DeepReadonly } from '@portcullis/kube'
import type { InfrastructureObject as Infrastructure } from '@portcullis/operator'
import { isDnsName } from './dns/dns-name.ts'

/** A cluster's domain as it is written everywhere: in small letters, without a dot at its end; undefined if it is none. */
export function asClusterDomain(text: string): string | undefined {
  const domain = text.toLowerCase().replace(/\.$/, '')
  return domain.includes('.') && isDnsName(domain) ? domain : undefined
}

/** The cluster's domain, as `shop.example.com`, in which its API is `api` and its routers are below `apps`. */
export function clusterDomain({ status }: DeepReadonly<Infrastructure>, given?: string): string {
  const candidate = [
    given,
    hostBehind('api-int.', status?.apiServerInternalURI),
    hostBehind('api.', status?.apiServerURL),
    status?.etcdDiscoveryDomain,
  ].find((each) => each !== undefined && each !== '')
  if (candidate === undefined)
    throw new Error(
      'The Infrastructure does not show the domain of the cluster: status.apiServerInternalURI and status.apiServerURL have none; give --domain, such as shop.example.com.',
    )
  const domain = asClusterDomain(candidate)
  if (domain === undefined)
    throw new Error(`"${candidate}" is not the domain of a cluster; give --domain, such as shop.example.com.`)
  return domain
}

function hostBehind(prefix: string, url = ''): string | undefined {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return host.startsWith(prefix) ? host.slice(prefix.length) : undefined
}
