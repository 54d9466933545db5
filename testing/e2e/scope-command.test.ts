import { expect } from 'vitest'
import { portcullis } from './checked-plan.ts'
import { stories } from './story.ts'

const { story } = stories()

story('portcullis scope changes the scope in place on Azure after one confirmation', async (cluster) => {
  const router = await cluster.on('Azure').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  const { stdout, code } = await portcullis(cluster, ['scope', router.name, 'Internal'], { answers: ['y'] })
  expect(code).toBe(0)
  expect(stdout).toMatch(/"External" → "Internal"[^]*Apply this\? \[y\/N\][^]*is Internal: 10\./)
  expect((await router.service()).metadata.uid).toBe(uid)
  expect(await router.wantedScope()).toBe('Internal')
})

story('portcullis scope deletes the load balancer on AWS only after its name was typed', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const before = await router.service()

  const refused = await portcullis(cluster, ['scope', router.name, 'Internal'], { answers: ['no'] })
  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Nothing was changed.') as string,
  })
  expect((await router.read()).spec?.endpointPublishingStrategy?.loadBalancer?.scope).toBe('External')

  const halfway = await portcullis(cluster, ['scope', router.name, 'Internal'], {
    answers: ['yes', 'nonsense'],
  })
  expect(halfway.code).toBe(2)
  expect(halfway.stdout).toContain('waits for you; traffic is not interrupted')
  expect((await router.service()).metadata.uid).toBe(before.metadata.uid)

  const done = await portcullis(cluster, ['scope', router.name, 'Internal'], {
    answers: [`router-${router.name}`],
  })
  expect(done.code).toBe(0)
  // Steps are on standard output, where a reader that has gone is noticed.
  expect(done.stdout).toMatch(
    /The change was requested earlier[^]*Type router-\S+ to delete it[^]*\n… [^]*is Internal: internal-/,
  )
  expect((await router.service()).metadata.uid).not.toBe(before.metadata.uid)

  const nothing = await portcullis(cluster, ['scope', router.name, 'Internal'], { answers: [] })
  expect(nothing).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes.') as string })
})

story(
  'portcullis scope deletes nothing when another client has deleted the Service meanwhile',
  async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
    const { uid } = (await router.service()).metadata
    const afterAnotherAdmin = async () => {
      await router.deleteService()
      await router.serviceAfter(uid)
      await router.reports('Progressing', { status: 'False' })
      return `router-${router.name}`
    }
    const answers = ['y', afterAnotherAdmin]
    const { stdout, code } = await portcullis(cluster, ['scope', router.name, 'Internal'], { answers })
    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/is Internal: internal-/)
    expect(cluster.journal.count('create Service')).toBe(3) // The internal one, and two for the load balancer.
  },
)

story('portcullis scope stops when another client reverts the change meanwhile', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  const afterRevert = async () => {
    await router.change({ scope: 'External' })
    await router.reports('Progressing', { status: 'False' })
    return `router-${router.name}`
  }
  const { stderr, code } = await portcullis(cluster, ['scope', router.name, 'Internal'], {
    answers: ['y', afterRevert],
  })
  expect(code).toBe(1)
  expect(stderr).toContain(
    'Someone else has modified the IngressController in the meantime. Run the command again.',
  )
  expect((await router.service()).metadata.uid).toBe(uid)
})

story('portcullis scope without a terminal writes nothing without --yes', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { metadata } = await router.read()
  const { stderr, code } = await portcullis(cluster, ['scope', router.name, 'Internal'])
  expect(code).toBe(1)
  expect(stderr).toContain('Nothing was changed: there is no terminal to ask on. Use --yes')
  expect((await router.read()).metadata.generation).toBe(metadata.generation)

  // One word for the change, another for the deletion.
  expect((await portcullis(cluster, ['scope', router.name, 'Internal', '--yes'])).code).toBe(2)
  const { uid } = (await router.service()).metadata
  const reverted = await portcullis(cluster, ['scope', router.name, '--revert', '--yes'])
  expect(reverted).toMatchObject({ code: 0, stdout: expect.stringContaining('is External: ') as string })
  expect((await router.service()).metadata.uid).toBe(uid)
  const all = ['scope', router.name, 'Internal', '--yes', '--delete-load-balancer']
  expect((await portcullis(cluster, all)).code).toBe(0)
  expect((await router.service()).metadata.uid).not.toBe(uid)
})

story(
  'portcullis scope asks for the deletion before it writes where the annotation consents',
  async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
    await router.annotate({ 'ingress.operator.openshift.io/auto-delete-load-balancer': '' })
    const { uid } = (await router.service()).metadata
    const { code } = await portcullis(cluster, ['scope', router.name, 'Internal'], { answers: ['y', 'n'] })
    expect(code).toBe(1)
    expect(await router.wantedScope()).toBe('External')
    const answers = ['y', `router-${router.name}`]
    expect((await portcullis(cluster, ['scope', router.name, 'Internal'], { answers })).code).toBe(0)
    expect((await router.service()).metadata.uid).not.toBe(uid)
  },
)

story('Ctrl-C leaves portcullis scope in a state that the next run explains', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  await cluster.stopOperator()
  const interrupt = new AbortController()
  const onPrint = (text: string) => {
    if (text.startsWith('…')) interrupt.abort(new Error('told to stop'))
  }
  const args = ['scope', router.name, 'Internal', '--yes']
  const broken = await portcullis(cluster, args, { interrupt: interrupt.signal, onPrint })
  expect(broken.code).toBe(130)
  expect(broken.stderr).toContain(
    'The change has been applied; no load balancer was deleted by this command.',
  )
  const again = `portcullis scope ${router.name} -n ${router.ref.namespace}`
  expect(broken.stderr).toContain(`To continue: \`${again} Internal\`. To revert: \`${again} --revert\`.`)
  await cluster.startOperator()
  await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
  const next = await portcullis(cluster, args)
  expect(next).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('The change was requested earlier') as string,
  })
})

story(
  'portcullis scope reports a missing controller, a missing load balancer and a refusal of the operator',
  async (cluster) => {
    const router = await cluster.on('BareMetal').create('edge', { scope: 'External' })
    await router.reports('Admitted', { status: 'True' })
    const misspelt = await portcullis(cluster, ['scope', `${router.name}x`, 'Internal', '--yes'])
    expect(misspelt.stderr).toContain(`Did you mean "${router.name}"?`)
    const refused = await portcullis(cluster, ['scope', router.name, 'Internal', '--yes'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/The operator rejected the change: .*BareMetal.*To revert: `.*--revert`/)
    const host = await cluster.create('host', undefined, {
      endpointPublishingStrategy: { type: 'HostNetwork' },
    })
    await host.reports('Admitted', { status: 'True' })
    const other = await portcullis(cluster, ['scope', host.name, 'Internal', '--yes'])
    expect(other.stderr).toContain('is published by HostNetwork, which has no scope')
  },
)
