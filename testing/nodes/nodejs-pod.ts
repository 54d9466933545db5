import { randomBytes } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { NodesHandle } from '../clusters/real-nodes/nodes-handle.ts'

/** A pod that runs a JavaScript program on the operator's Node. */
export interface NodejsPod {
  readonly name: string
  readonly namespace: string
  readonly ipv4: string
  readonly ipv6: string
  /** Runs another program in it, and returns what that prints. */
  evaluate(program: string): Promise<string>
}

export interface NodejsPodOptions {
  readonly node: string
  readonly image: string
  /** CommonJS; it must not end. */
  readonly program: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly hostNetwork?: boolean
  /** More of the container. */
  readonly container?: object
}

/** A namespace with labels, until the test is over. */
export async function aNamespace(
  bed: NodesHandle,
  labels: Readonly<Record<string, string>> = {},
): Promise<string> {
  const name = `namespace-${randomBytes(4).toString('hex')}`
  await mustApply(bed, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })
  onTestFinished(async () => {
    await bed.kubectl(['delete', 'namespace', name, '--wait=false'])
  })
  return name
}

export async function mustApply(bed: NodesHandle, object: object): Promise<void> {
  await eventually(async () => {
    const { code, stderr } = await bed.kubectl(['apply', '-f', '-'], { input: JSON.stringify(object) })
    expect(code, stderr).toBe(0)
  })
}

/** Resolves when it is ready. */
export async function nodejsPod(bed: NodesHandle, options: NodejsPodOptions): Promise<NodejsPod> {
  const { node, image, program, namespace = 'default', labels = {}, hostNetwork = false, container } = options
  const name = `pod-${randomBytes(4).toString('hex')}`
  const main = {
    name: 'main',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['node', '--eval', program],
    ...container,
  }
  const spec = { nodeName: node, hostNetwork, terminationGracePeriodSeconds: 0, containers: [main] }
  await mustApply(bed, { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec })
  const inNamespace = ['--namespace', namespace]
  onTestFinished(async () => {
    await bed.kubectl([...inNamespace, 'delete', 'pod', name, '--wait=false', '--ignore-not-found'])
  })
  const ips = await eventually(async () => {
    const { stdout } = await bed.kubectl([...inNamespace, 'get', 'pod', name, '--output=json'])
    const { status } = JSON.parse(stdout) as { status: PodStatus }
    expect(status.containerStatuses?.[0]?.ready, stdout).toBe(true)
    return (status.podIPs ?? []).map(({ ip }) => ip)
  }, 60_000)
  return {
    name,
    namespace,
    ipv4: ips.find((ip) => !ip.includes(':')) ?? '',
    ipv6: ips.find((ip) => ip.includes(':')) ?? '',
    evaluate: async (text) => {
      const command = [...inNamespace, 'exec', name, '--', 'node', '--eval', text]
      const { code, stdout, stderr } = await bed.kubectl(command)
      expect(code, stderr).toBe(0)
      return stdout.trim()
    },
  }
}

interface PodStatus {
  readonly podIPs?: readonly { readonly ip: string }[]
  readonly containerStatuses?: readonly { readonly ready: boolean }[]
}
