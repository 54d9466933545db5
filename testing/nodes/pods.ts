import { randomBytes } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { NodesHandle } from '../clusters/real-nodes/nodes-handle.ts'

export interface RunningPod {
  readonly name: string
  /** As containerd knows it. */
  readonly containerId: string
  readonly ips: readonly string[]
}

/** A pod on a node, in the namespace `default`, until the test is over. Resolves when it runs. */
export async function podOn(bed: NodesHandle, node: string, image: string): Promise<RunningPod> {
  const name = `pod-${randomBytes(4).toString('hex')}`
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 1,
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'main', image, imagePullPolicy: 'IfNotPresent' }],
    },
  }
  onTestFinished(async () => {
    await bed.kubectl(['delete', 'pod', name, '--wait=false'])
  })
  await eventually(async () => {
    const { code, stderr } = await bed.kubectl(['apply', '-f', '-'], { input: JSON.stringify(pod) })
    expect(code, stderr).toBe(0)
  })
  return eventually(async () => {
    const { stdout } = await bed.kubectl(['get', 'pod', name, '--output=json'])
    const { status } = JSON.parse(stdout) as { status: PodStatus }
    expect(status.phase).toBe('Running')
    return {
      name,
      containerId: status.containerStatuses?.[0]?.containerID?.replace('containerd://', '') ?? '',
      ips: (status.podIPs ?? []).map(({ ip }) => ip),
    }
  }, 60_000)
}

interface PodStatus {
  readonly phase?: string
  readonly podIPs?: readonly { readonly ip: string }[]
  readonly containerStatuses?: readonly { readonly containerID?: string }[]
}
