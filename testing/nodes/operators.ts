import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { NodesHandle } from '../clusters/real-nodes/nodes-handle.ts'
import { must, operatorNamespace } from './installation.ts'

/** A pod of the operator, as the API server shows it. */
export interface OperatorPod {
  readonly metadata: { readonly name: string; readonly uid: string }
  readonly spec: { readonly nodeName: string }
  readonly status: {
    readonly podIPs?: readonly { readonly ip: string }[]
    readonly containerStatuses?: readonly { readonly ready: boolean; readonly containerID: string }[]
  }
}

const selector = '--selector=app.kubernetes.io/name=portcullis'
const inNamespace = (bed: NodesHandle, ...args: readonly string[]) =>
  must(bed, ['--namespace', operatorNamespace, ...args])

/** Both operators, once they are ready; none of them is among those. */
export function readyOperators(
  bed: NodesHandle,
  others: readonly OperatorPod[] = [],
): Promise<readonly OperatorPod[]> {
  const uids = new Set(others.map(({ metadata }) => metadata.uid))
  return eventually(async () => {
    const { items } = JSON.parse(await inNamespace(bed, 'get', 'pods', selector, '-o=json')) as {
      items: readonly OperatorPod[]
    }
    expect(items.map(({ status }) => status.containerStatuses?.[0]?.ready)).toEqual([true, true])
    expect(items.filter(({ metadata }) => uids.has(metadata.uid))).toEqual([])
    return items
  }, 90_000)
}

/** Ends both operators at once; gives those that come in their place, once they are ready. */
export async function restartOperators(bed: NodesHandle): Promise<readonly OperatorPod[]> {
  const before = await readyOperators(bed)
  await inNamespace(bed, 'delete', 'pods', selector)
  return readyOperators(bed, before)
}

/** What Events of type Warning say about these pods. */
export async function warningsAbout(
  bed: NodesHandle,
  pods: readonly OperatorPod[],
): Promise<readonly string[]> {
  const uids = new Set<string | undefined>(pods.map(({ metadata }) => metadata.uid))
  const { items } = JSON.parse(await inNamespace(bed, 'get', 'events', '-o=json')) as {
    items: readonly { reason: string; type: string; message: string; involvedObject: { uid?: string } }[]
  }
  return items
    .filter(({ type, involvedObject }) => type === 'Warning' && uids.has(involvedObject.uid))
    .map(({ reason, message }) => `${reason}: ${message}`)
}

/** Who the process of an operator is to the kernel of its node: lines of its status. */
export async function identityOnNode(bed: NodesHandle, { spec, status }: OperatorPod): Promise<string> {
  const node = bed.node(spec.nodeName)
  const id = status.containerStatuses?.[0]?.containerID.replace('containerd://', '') ?? ''
  const { stdout: tasks } = await node.run('ctr', '--namespace', 'k8s.io', 'tasks', 'list')
  const [, pid] = new RegExp(`^${id}\\s+(\\d+)\\s`, 'm').exec(tasks) ?? []
  const { stdout, stderr } = await node.run('grep', '-E', '^(Uid|Gid|Groups):', `/proc/${pid}/status`)
  expect(stdout, stderr).not.toBe('')
  return stdout
}
