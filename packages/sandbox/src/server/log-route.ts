import type { Storage } from '@portcullis/kube'
import type { LogQuestion } from '../controllers/kubelet/pod-logs.ts'
import type { Route } from './api-server.ts'
import { badRequest, notFound } from './api-status.ts'
import { parseResourcePath } from './request-info.ts'
import { keyOf } from './storage-key.ts'

/** The store of container logs. */
export interface LogKeeper {
  logsOf(
    pod: { readonly namespace?: string | undefined; readonly name: string },
    question: LogQuestion,
  ): string | undefined
}

/** `kubectl logs`. */
export function logRoute(storage: Storage, logs: LogKeeper): Route {
  return ({ method, path, query }) => {
    const wanted = parseResourcePath(path)
    if (method !== 'GET' || wanted?.plural !== 'pods' || wanted.subresource !== 'log') return undefined
    const { namespace, name = '' } = wanted
    const pod = storage.get('pods', keyOf(namespace, name))
    if (pod === undefined) throw notFound({ group: '', plural: 'pods', kind: 'Pod' }, name)
    const containers = ((pod['spec'] as { containers?: { name: string }[] }).containers ?? []).map(
      (each) => each.name,
    )
    const container = query.get('container') ?? undefined
    if (container === undefined && containers.length > 1) {
      throw badRequest(
        `a container name must be specified for pod ${name}, choose one of: [${containers.join(' ')}]`,
      )
    }
    if (container !== undefined && !containers.includes(container)) {
      throw badRequest(`container ${container} is not valid for pod ${name}`)
    }
    const text =
      logs.logsOf({ namespace, name }, { container, previous: query.get('previous') === 'true' }) ?? ''
    const tail = query.get('tailLines')
    return {
      code: 200,
      text: tail === null ? text : lastLines(text, Number(tail)),
      contentType: 'text/plain',
    }
  }
}

function lastLines(text: string, count: number): string {
  const lines = text.split('\n').slice(0, -1)
  return lines
    .slice(Math.max(0, lines.length - count))
    .map((line) => `${line}\n`)
    .join('')
}
