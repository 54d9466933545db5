import { type Cached, fieldsOwnedBy } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import type { Scope } from '../../api/endpoint-publishing-strategy.ts'
import { fieldManager, provenanceAnnotation } from '../names.ts'
import { type Platform, scopeAskedFor, typeAskedFor } from '../platforms/platform.ts'
import { type Provenance, readProvenance } from './provenance.ts'

/** What the Service shows about its load balancer. */
export interface ObservedLoadBalancer {
  readonly service: Cached<Service>
  /** Host names and IPs, sorted. */
  readonly addresses: readonly string[]
  /** The scope and type of the load balancer, as far as they are known. */
  readonly scope: Scope
  readonly type: string | undefined
  /** What the annotations request: some clouds read them only when they create the load balancer. */
  readonly asked: { readonly scope: Scope; readonly type: string | undefined }
  readonly provenance: Provenance | undefined
  /** Source ranges that a person set on the Service itself. */
  readonly usersSourceRanges: readonly string[]
}

export function observeLoadBalancer(service: Cached<Service>, platform: Platform): ObservedLoadBalancer {
  const { annotations } = service.metadata
  const addresses = addressesOf(service)
  const asked = { scope: scopeAskedFor(platform, annotations), type: typeAskedFor(platform, annotations) }
  const provenance = isNoteOurs(service) ? readProvenance(annotations) : undefined
  const proven = platform.readAddress?.(addresses[0] ?? '') ?? {}
  const { changesScopeInPlace } = platform
  return {
    service,
    addresses,
    asked,
    provenance,
    // An address cannot be edited, and a note that was is none; annotations are what people try first.
    scope: changesScopeInPlace ? asked.scope : (proven.scope ?? provenance?.scope ?? asked.scope),
    type: proven.type ?? provenance?.type ?? asked.type,
    usersSourceRanges: usersSourceRanges(service, provenance),
  }
}

export function addressesOf({ status }: Cached<Service>): readonly string[] {
  const addresses = (status?.loadBalancer?.ingress ?? []).flatMap(({ hostname, ip }) => hostname || ip || [])
  return addresses.sort()
}

function isNoteOurs(service: Cached<Service>): boolean {
  return fieldsOwnedBy(fieldManager, service).in('metadata').in('annotations').has(provenanceAnnotation)
}

function usersSourceRanges(service: Cached<Service>, provenance: Provenance | undefined): readonly string[] {
  const ranges = service.spec?.loadBalancerSourceRanges ?? []
  if (ranges.length === 0) return rangesInAnnotation(service)
  const isOurs = fieldsOwnedBy(fieldManager, service).in('spec').has('loadBalancerSourceRanges')
  return isOurs && provenance?.keptSourceRanges !== true ? [] : ranges
}

/** The older annotation, which counts when the field is empty. */
function rangesInAnnotation({ metadata }: Cached<Service>): readonly string[] {
  const text = metadata.annotations?.['service.beta.kubernetes.io/load-balancer-source-ranges'] ?? ''
  return text
    .split(',')
    .map((range) => range.trim())
    .filter(Boolean)
}
