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

export async function operatorPods(bed: NodesHandle): Promise<readonly OperatorPod[]> {
  const list = await inNamespace(bed, 'get', 'pods', selector, '--output=json')
  return (JSON.parse(list) as { items: readonly OperatorPod[] }).items
}

export const isReady = ({ status }: OperatorPod) => status.containerStatuses?.[0]?.ready === true

/** Both operators, once they are ready. */
export function readyOperators(bed: NodesHandle): Promise<readonly OperatorPod[]> {
  return eventually(async () => {
    const operators = await operatorPods(bed)
    expect(operators.map(isReady)).toEqual([true, true])
    return operators
  }, 90_000)
}

/** Ends both operators at once; those that come in their place. */
export async function replacedOperators(bed: NodesHandle): Promise<readonly OperatorPod[]> {
  const before = new Set((await operatorPods(bed)).map(({ metadata }) => metadata.uid))
  await inNamespace(bed, 'delete', 'pods', selector)
  return eventually(async () => {
    const operators = await operatorPods(bed)
    expect(operators.map(({ metadata }) => before.has(metadata.uid))).toEqual([false, false])
    return operators
  }, 60_000)
}

/** Likewise, once they are ready. */
export async function restartOperators(bed: NodesHandle): Promise<readonly OperatorPod[]> {
  await replacedOperators(bed)
  return readyOperators(bed)
}

/** What Events of type Warning say about these pods. */
export async function warningsAbout(
  bed: NodesHandle,
  pods: readonly OperatorPod[],
): Promise<readonly string[]> {
  const uids = new Set<string | undefined>(pods.map(({ metadata }) => metadata.uid))
  const { items } = JSON.parse(await inNamespace(bed, 'get', 'events', '--output=json')) as {
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
