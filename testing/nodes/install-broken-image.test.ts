import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@portcullis/kube'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { entriesOf, shell, withLibraries } from '../clusters/images/machine-programs.ts'
import { type OciImage, ociArchive } from '../clusters/images/oci-archive.ts'
import { routerConfig, routerLayer } from '../clusters/images/router-image.ts'
import { sharedNodes } from '../clusters/real-nodes/shared-nodes.ts'
import { run } from '../clusters/run-command.ts'
import { adminAccess } from '../clusters/test-client.ts'
import { commandsIn, type Router } from '../e2e/router.ts'
import { connect } from '../e2e/start-manager.ts'
import { createController, install } from './installation.ts'

const { bed, images } = sharedNodes()
let client: Client | undefined

beforeAll(async () => {
  if (bed !== undefined) client = connect(await adminAccess(bed), 'story')
})
afterAll(() => client?.close())

/** A new controller whose routers have this image. */
async function controllerWith(image: string, name: string): Promise<Router> {
  if (client === undefined) throw new Error('Tests run after the hooks.')
  await install(bed, images, '--platform=None', `--router-image=${image}`)
  return createController({ client }, name, { type: 'Private' }, { replicas: 1 })
}

/** What the commands in a message print, pasted into a shell. */
async function outputOfCommandsIn(message: string): Promise<string> {
  const commands = commandsIn({ message })
  expect(commands).toHaveLength(1)
  const script = `kubectl() { '${bed.binaries.kubectl}' --kubeconfig '${bed.kubeconfigPath}' "$@"; }\n${commands.join('\n')}`
  const { code, stdout, stderr } = await run('bash', ['--norc', '-eu', '-c', script])
  expect(code, stderr).toBe(0)
  return stdout
}

test('An image of routers that cannot be pulled is reported with its node and the words of containerd', async () => {
  const image = 'localhost/portcullis/absent:1'
  const router = await controllerWith(image, 'unpulled')
  const { message = '' } = await router.reports(
    'PodsStarted',
    { status: 'False', reason: 'ImagePullFailed' },
    60_000,
  )
  expect(message).toMatch(
    /^Pod openshift-ingress\/router-unpulled-\S+ on node node-[abc] cannot pull image localhost\/portcullis\/absent:1 \(ImagePullBackOff\)\. The kubelet says: "failed to pull and unpack image "localhost\/portcullis\/absent:1": failed to resolve reference .*connection refused"\. To see its events: `[^`]+`$/,
  )
  const shown = await outputOfCommandsIn(message)
  expect(shown).toContain(`Failed to pull image "${image}": failed to pull and unpack image`)
})

test('A router whose image lacks its entrypoint is reported with the words of the container runtime, until it has one', async () => {
  const image = 'localhost/portcullis/router-without-entrypoint:1'
  await importOnNodes(image)
  const router = await controllerWith(image, 'unstarted')
  const { message = '' } = await router.reports(
    'PodsStarted',
    { status: 'False', reason: 'ContainerStartFailed' },
    60_000,
  )
  const [entrypoint = ''] = routerConfig.Entrypoint ?? []
  expect(message).toMatch(
    /^Pod openshift-ingress\/router-unstarted-\S+ on node node-[abc] cannot start container router \(RunContainerError\)\. The kubelet says: ".+"\. To see its events: `[^`]+`$/,
  )
  expect(message).toContain(`exec: "${entrypoint}": stat ${entrypoint}: no such file or directory`)
  expect(await outputOfCommandsIn(message)).toContain(`stat ${entrypoint}: no such file or directory`)
  await install(bed, images, '--platform=None')
  await router.reports('PodsStarted', { status: 'True' }, 90_000)
  await router.reports('Available', { status: 'True' }, 90_000)
})

/** The image of routers of this bed, but for the file that it is to start. */
async function importOnNodes(name: string): Promise<void> {
  const files = { program: new Uint8Array(), shell: await entriesOf(await withLibraries(shell)) }
  const [entrypoint = ''] = routerConfig.Entrypoint ?? []
  const layer = routerLayer(files, false).filter(({ path }) => `/${path}` !== entrypoint)
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const image: OciImage = { name, architecture, config: routerConfig, layers: [layer] }
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-image-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const archive = join(directory, 'image.tar')
  await writeFile(archive, ociArchive([image]))
  for (const node of bed.nodes) {
    const [command, args] = (await node.inside())('ctr', ['--namespace', 'k8s.io', 'images', 'import', '-'])
    const script = 'archive=$1; shift; exec "$@" < "$archive"'
    const { code, stderr } = await run('sh', ['-c', script, 'sh', archive, command, ...args])
    expect(code, stderr).toBe(0)
    onTestFinished(async () => {
      await node.run('ctr', '--namespace', 'k8s.io', 'images', 'remove', name)
    })
  }
}
