import { type AnyObject, cloneJson } from '@portcullis/schema'
import type { Binding } from 'kubernetes-types/core/v1'
import { bind } from '../kinds/pod.ts'
import { badRequest, conflict } from './api-status.ts'

/** A pod that has been given its node: what the scheduler asks for through the `binding` subresource. */
export function boundPod(pod: AnyObject, body: string, now: Date): AnyObject {
  const { target, metadata } = JSON.parse(body) as Binding
  if (!target?.name) throw badRequest('Binding "" is invalid: target.name: Required value')
  const bound = cloneJson(pod)
  const problem = bind(bound, target.name, now)
  if (problem !== undefined) {
    throw conflict({ group: '', plural: 'pods/binding', kind: 'Binding' }, pod.metadata.name ?? '', problem)
  }
  const annotations = { ...pod.metadata.annotations, ...metadata?.annotations }
  if (Object.keys(annotations).length > 0) bound.metadata.annotations = annotations
  return bound
}
