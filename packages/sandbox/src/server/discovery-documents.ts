import type { Resource } from '../resource.ts'

const verbsOfCollection = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** The same, in the order in which the real server names them for custom resources. */
const verbsOfCustom = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

/** Subresources that are of a kind of their own. */
const kindsOfSubresources: Readonly<Record<string, object>> = {
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  token: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
}

/** `/api`: which versions of the core group there are. */
export function coreVersions(serverAddress: string): object {
  const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress }]
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs }
}

/** `/apis`: the groups, each with its versions. */
export function groupList(resources: readonly Resource[]): object {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groupsOf(resources).map((group) => groupEntry(resources, group)),
  }
}

/** `/apis/GROUP`; undefined if there is no such group. */
export function groupDocument(resources: readonly Resource[], group: string): object | undefined {
  if (!groupsOf(resources).includes(group)) return undefined
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(resources, group) }
}

/** `/api/v1`, `/apis/GROUP/VERSION`; undefined if there is no such version. */
export function resourceList(
  resources: readonly Resource[],
  group: string,
  version: string,
): object | undefined {
  const served = resources.filter((resource) => resource.group === group && resource.version === version)
  if (served.length === 0) return undefined
  return {
    kind: 'APIResourceList',
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion: groupVersionOf(group, version),
    resources: sortedByPlural(served).flatMap((resource) => [
      resourceEntry(resource),
      ...subresourceEntries(resource),
    ]),
  }
}

/** The same at once for the core group (at `/api`) or for all others (at `/apis`): `apidiscovery.k8s.io/v2`. */
export function aggregatedDiscovery(resources: readonly Resource[], root: 'api' | 'apis'): object {
  const groups = root === 'api' ? [''] : groupsOf(resources)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versionsOf(resources, group).map((version) => ({
        version,
        resources: sortedByPlural(
          resources.filter((resource) => resource.group === group && resource.version === version),
        ).map(aggregatedEntry),
        freshness: 'Current',
      })),
    })),
  }
}

function aggregatedEntry(resource: Resource): object {
  const {
    group,
    version,
    kind,
    plural,
    singular,
    shortNames,
    categories,
    namespaced,
    subresources,
    isCustom,
  } = resource
  // The real server leaves it to the reader that a built-in kind is of the group and version around it.
  const responseKind = isCustom ? { group, version, kind } : { group: '', version: '', kind }
  return {
    resource: plural,
    responseKind,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(resource),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: sortedSubresources(subresources, isCustom).map((subresource) => ({
        subresource,
        responseKind: kindsOfSubresources[subresource] ?? responseKind,
        verbs: verbsOfSubresource(subresource),
      })),
    }),
  }
}

function resourceEntry(resource: Resource): object {
  const { kind, plural, singular, shortNames, categories, namespaced } = resource
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(resource),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  }
}

function subresourceEntries({ plural, kind, namespaced, subresources, isCustom }: Resource): object[] {
  return sortedSubresources(subresources, isCustom).map((subresource) => ({
    name: `${plural}/${subresource}`,
    singularName: '',
    namespaced,
    ...(kindsOfSubresources[subresource] ?? { kind }),
    verbs: verbsOfSubresource(subresource),
  }))
}

function verbsOf({ verbs, isCustom }: Resource): readonly string[] {
  return verbs ?? (isCustom ? verbsOfCustom : verbsOfCollection)
}

function verbsOfSubresource(subresource: string): string[] {
  if (subresource === 'binding' || subresource === 'eviction' || subresource === 'token') return ['create']
  if (subresource === 'log') return ['get']
  return subresource === 'finalize' ? ['update'] : ['get', 'patch', 'update']
}

function groupEntry(resources: readonly Resource[], group: string): object {
  const versions = versionsOf(resources, group).map((version) => ({
    groupVersion: groupVersionOf(group, version),
    version,
  }))
  return { name: group, versions, preferredVersion: versions[0] }
}

function groupsOf(resources: readonly Resource[]): string[] {
  return [...new Set(resources.map(({ group }) => group))].filter((group) => group !== '')
}

function versionsOf(resources: readonly Resource[], group: string): string[] {
  return [...new Set(resources.filter((resource) => resource.group === group).map(({ version }) => version))]
}

function sortedByPlural(resources: readonly Resource[]): Resource[] {
  return [...resources].sort((one, other) => (one.plural < other.plural ? -1 : 1))
}

const groupVersionOf = (group: string, version: string) => (group === '' ? version : `${group}/${version}`)

/** A custom resource's in the order of its definition's fields, others by name. */
function sortedSubresources(
  subresources: readonly string[],
  isCustom: boolean | undefined,
): readonly string[] {
  return isCustom ? subresources : [...subresources].sort()
}
