import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Service } from '@portcullis/kube'
import { IngressController } from '@portcullis/operator'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { OperatorProcess } from '../clusters/operator-process.ts'
import { run } from '../clusters/run-command.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { Cluster } from '../e2e/cluster.ts'
import { install } from '../e2e/install.ts'
import { realTestCluster } from '../e2e/real-test-cluster.ts'

const plane = sharedControlPlane()
/** The revision to upgrade from: the commit before, or any other. */
const revision = process.env['PORTCULLIS_UPGRADE_FROM'] ?? 'HEAD~1'
const previous = await run('git', ['rev-parse', '--verify', '--quiet', revision])

const strategies = {
  balanced: { type: 'LoadBalancerService', loadBalancer: { scope: 'Internal' } },
  ported: { type: 'NodePortService' },
  hidden: { type: 'Private' },
} as const

test.skipIf(previous.code !== 0)('An upgrade from the previous commit writes to no Service', async () => {
  const before = await checkedOut(previous.stdout.trim())
  const testCluster = await realTestCluster(plane)
  const cluster = new Cluster(testCluster).on('AWS')
  onTestFinished(async () => {
    await install(testCluster.client)
    await cluster.close()
    await testCluster.close()
  })
  await cluster.prepare()
  const crds = await plane.kubectl([
    'apply',
    '--server-side',
    '--force-conflicts',
    '-f',
    join(before, 'deploy/crds'),
  ])
  expect(crds.code, crds.stderr).toBe(0)

  const old = start(join(before, 'dist/portcullis.js'), cluster)
  await leads(old)
  for (const [name, endpointPublishingStrategy] of Object.entries(strategies)) {
    const spec = { domain: `${name}.example`, replicas: 0, endpointPublishingStrategy }
    await testCluster.client.create(IngressController, { metadata: cluster.router(name).ref, spec })
    await cluster.router(name).isAnswered()
  }
  await cluster.router('balanced').isProvided()
  old.send('SIGTERM')
  await old.ended()
  const published = await versions(cluster)
  expect(Object.keys(published).length).toBeGreaterThan(3)

  await install(testCluster.client)
  const next = start('packages/cli/src/main.ts', cluster)
  await leads(next)
  for (const name of Object.keys(strategies)) {
    // Carried out, it shows that all has been looked at; and no Service depends on it.
    await cluster.router(name).changeSpec({ routeSelector: { matchLabels: { shard: 'a' } } })
    await cluster.router(name).isAnswered()
  }
  expect(await versions(cluster)).toEqual(published)
})

/** The commit as a directory of its own, built. */
async function checkedOut(commit: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-upgrade-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const unpacked = await run('sh', ['-c', `git archive ${commit} | tar -x -C ${directory}`])
  expect(unpacked.code, unpacked.stderr).toBe(0)
  await linkDependencies(directory)
  const { code, stderr } = await run('sh', ['-c', `cd ${directory} && node scripts/build.mjs`])
  expect(code, stderr).toBe(0)
  return directory
}

/** The dependencies of this checkout, with the packages of the commit itself: those here are what it is compared with. */
async function linkDependencies(directory: string): Promise<void> {
  const [ours, theirs] = [resolve('node_modules'), join(directory, 'node_modules')]
  await mkdir(join(theirs, '@portcullis'), { recursive: true })
  for (const name of await readdir(ours)) {
    if (name !== '@portcullis') await symlink(join(ours, name), join(theirs, name))
  }
  const packages = await readdir(join(directory, 'packages')).catch(() => [])
  for (const name of packages) {
    await symlink(join(directory, 'packages', name), join(theirs, '@portcullis', name))
  }
}

function start(program: string, { settings }: Cluster): OperatorProcess {
  const { operatorNamespace, operandNamespace } = settings
  return new OperatorProcess(program, {}, [
    'operator',
    `--kubeconfig=${plane.kubeconfigPath}`,
    '--platform=AWS',
    '--health-port=0',
    `--operator-namespace=${operatorNamespace}`,
    `--operand-namespace=${operandNamespace}`,
  ])
}

const leads = (operator: OperatorProcess) =>
  eventually(() => expect(operator.log.map(({ msg }) => msg)).toContain('Leading'), 40_000)

/** Of every Service of the routers. */
async function versions({ client, settings }: Cluster): Promise<Record<string, string>> {
  const { items } = await client.list(Service, { namespace: settings.operandNamespace })
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]))
}
