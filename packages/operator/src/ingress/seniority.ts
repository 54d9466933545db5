import { type Cached, parseTime } from '@portcullis/kube'
import type { IngressController } from '../api/ingress-controller.ts'

type Controller = Pick<Cached<IngressController>, 'metadata'>

/** The elder first: where two claim the same, the oldest claim stands. */
export function bySeniority(one: Controller, other: Controller): number {
  return createdAt(one) - createdAt(other) || (one.metadata.uid < other.metadata.uid ? -1 : 1)
}

function createdAt({ metadata }: Controller): number {
  return parseTime(metadata.creationTimestamp)?.getTime() ?? 0
}
