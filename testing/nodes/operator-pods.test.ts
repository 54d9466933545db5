import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedNodes } from '../clusters/real-nodes/shared-nodes.ts'
import { run } from '../clusters/run-command.ts'
import { mustApply } from './nodejs-pod.ts'

const { bed, images } = sharedNodes()

const operatorNamespace = 'operator-pods'
const names = [`--operator-namespace=${operatorNamespace}`, '--operand-namespace=operator-pods-routers']

/** What kubectl prints when it succeeds. */
async function kubectl(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await bed.kubectl(args, input === undefined ? {} : { input })
  expect(code, `kubectl ${args.join(' ')}\n${stderr}`).toBe(0)
  return stdout
}

const inNamespace = (...args: readonly string[]) => kubectl(['--namespace', operatorNamespace, ...args])

async function manifests(): Promise<string> {
  const flags = [`--image=${images.operator.name}`, '--no-admission-policy', ...names]
  const command = ['--import', 'tsx', 'packages/cli/src/main.ts', 'manifests', ...flags]
  const { stdout, stderr, code } = await run(process.execPath, command)
  expect(code, stderr).toBe(0)
  return stdout
}

interface OperatorPod {
  readonly metadata: { readonly name: string; readonly uid: string }
  readonly status: {
    readonly containerStatuses?: readonly { readonly ready: boolean; readonly restartCount: number }[]
  }
}

async function operatorPods(): Promise<readonly OperatorPod[]> {
  const selector = '--selector=app.kubernetes.io/name=portcullis'
  return (JSON.parse(await inNamespace('get', 'pods', selector, '-o=json')) as { items: OperatorPod[] }).items
}

/** Ends all operators at once; the uids of those that come in their place. */
async function replaceOperators(): Promise<ReadonlySet<string>> {
  const before = new Set((await operatorPods()).map(({ metadata }) => metadata.uid))
  await inNamespace('delete', 'pods', '--selector=app.kubernetes.io/name=portcullis', '--wait=true')
  return eventually(async () => {
    const after = (await operatorPods()).map(({ metadata }) => metadata.uid)
    expect(after).toHaveLength(2)
    expect(after.filter((uid) => before.has(uid))).toEqual([])
    return new Set(after)
  }, 60_000)
}

/** What Events of type Warning say about pods. */
async function warningsAbout(uids: ReadonlySet<string>): Promise<readonly string[]> {
  const { items } = JSON.parse(await inNamespace('get', 'events', '-o=json')) as {
    items: readonly { reason: string; type: string; message: string; involvedObject: { uid?: string } }[]
  }
  return items
    .filter(({ type, involvedObject }) => type === 'Warning' && uids.has(involvedObject.uid ?? ''))
    .map(({ reason, message }) => `${reason}: ${message}`)
}

const operatorsAreReady = () => inNamespace('rollout', 'status', 'deployment/portcullis', '--timeout=90s')

test('Where nothing is let out the operators still reach the API server, by the policy of their manifests', async () => {
  const printed = await manifests()
  onTestFinished(async () => {
    await bed.kubectl([
      'delete',
      'namespace',
      operatorNamespace,
      'operator-pods-routers',
      '--ignore-not-found',
    ])
  })
  await kubectl(['apply', '--filename=-'], printed)
  await operatorsAreReady()
  const metadata = { name: 'nothing', namespace: operatorNamespace }
  const spec = { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }
  await mustApply(bed, { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec })

  const uids = await replaceOperators()
  await operatorsAreReady()
  expect(await warningsAbout(uids)).toEqual([])
  const [pod] = await operatorPods()
  const program = 'console.log(JSON.stringify([process.getuid(), process.getgid(), process.getgroups()]))'
  const ids = await inNamespace('exec', pod?.metadata.name ?? '', '--', 'node', '--eval', program)
  expect(JSON.parse(ids)).toEqual([65_532, 65_532, [65_532]])

  // Without what our policy says of egress the other one holds.
  const closed = JSON.stringify({ spec: { policyTypes: ['Ingress'], egress: null } })
  await inNamespace('patch', 'networkpolicy', 'portcullis', '--type=merge', `--patch=${closed}`)
  const cutOff = await replaceOperators()
  await eventually(
    async () => expect((await warningsAbout(cutOff)).join()).toContain('Startup probe failed'),
    60_000,
  )
  for (const { status } of await operatorPods()) expect(status.containerStatuses?.[0]?.ready).toBe(false)
  await kubectl(['apply', '--filename=-'], printed)
  await operatorsAreReady()
})
