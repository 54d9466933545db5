import { createHash, randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { version } from '../../package.json'
import { eventually } from '../clusters/eventually.ts'
import { buildContainerfile } from '../clusters/images/buildah.ts'
import type { ImageConfig } from '../clusters/images/oci-archive.ts'
import { operatorImage } from '../clusters/images/operator-image.ts'
import { sharedNodes } from '../clusters/real-nodes/shared-nodes.ts'
import { run } from '../clusters/run-command.ts'
import { mustApply, nodejsPod } from './nodejs-pod.ts'

const { bed, images } = sharedNodes()
const nodeName = 'node-b'

/** Of Node and of files of the image: their hashes and modes; and who asks. */
const identity = (files: readonly string[]) => `
  const { createHash } = require('node:crypto')
  const { readFileSync, statSync } = require('node:fs')
  const described = (file) => {
    return [file, createHash('sha256').update(readFileSync(file)).digest('hex'), statSync(file).mode & 0o777]
  }
  const files = ${JSON.stringify(files)}.map(described)
  console.log(JSON.stringify({ user: [process.getuid(), process.getgid()], node: described(process.execPath), files }))`

/** Where buildah would leave something, whatever it is told. */
const traces = ['/etc/cni', '/var/lib/containers', '/run/containers', '/run/libpod']

test('The image on the nodes is what buildah makes of the Containerfile: the same files, started in the same way', async ({
  skip,
}) => {
  const expected = await filesOfToday()
  const before = await existing(traces)
  const built = await buildContainerfile(console.log)
  onTestFinished(() => built.remove())
  expect(await existing(traces)).toEqual(before)
  const { 'io.buildah.version': buildah, ...labels } = built.config.Labels ?? {}
  expect(buildah).toMatch(/^\d/)
  expect(await configOnNode(images.operator.name)).toEqual({ ...built.config, Labels: labels })

  await importOnNode(built.name, built.archive)
  const idle = { node: nodeName, program: 'setInterval(() => {}, 1e6)' }
  const theirs = await nodejsPod(bed, { ...idle, image: built.name })
  const ours = await nodejsPod(bed, { ...idle, image: images.operator.name })
  const paths = expected.map(([path]) => path)
  const found = JSON.parse(await theirs.evaluate(identity(paths))) as Identity
  const { node, user } = JSON.parse(await ours.evaluate(identity([]))) as Identity
  expect({ node, user }).toEqual({ node: found.node, user: found.user })
  expect(user[0]).toBe(65532)
  expect(await outputOf(built.name, ['--version'])).toBe(`${version}\n`)

  const changed = JSON.stringify(await filesOfToday()) !== JSON.stringify(expected)
  if (changed) skip('The sources have changed while buildah built them; nothing can be said of the files.')
  expect(expected).toHaveLength(4)
  expect(found.files).toEqual(expected)
})

type FileIdentity = readonly [path: string, hash: string, mode: number | undefined]

interface Identity {
  readonly user: readonly number[]
  readonly node: FileIdentity
  readonly files: readonly FileIdentity[]
}

/** What the image has of this checkout's as it is now; the bed may have been started before. */
async function filesOfToday(): Promise<readonly FileIdentity[]> {
  const { layer } = await operatorImage({})
  return layer.flatMap((entry) => {
    if (entry.type !== 'file') return []
    const hash = createHash('sha256').update(entry.content).digest('hex')
    return [[`/${entry.path}`, hash, entry.mode] as const]
  })
}

test("The operator's image starts Portcullis on a node", async () => {
  expect(await outputOf(images.operator.name, ['--version'])).toBe(`${version}\n`)
  const settings = await outputOf(images.operator.name, [
    'operator',
    '--print-config',
    '--domain',
    'apps.example',
  ])
  expect(settings).toContain('domain: "apps.example" # flag')
})

async function importOnNode(name: string, archive: string): Promise<void> {
  const node = bed.node(nodeName)
  const [command, args] = (await node.inside())('ctr', ['--namespace', 'k8s.io', 'images', 'import', '-'])
  const script = 'archive=$1; shift; exec "$@" < "$archive"'
  const { code, stderr } = await run('sh', ['-c', script, 'sh', archive, command, ...args])
  expect(code, stderr).toBe(0)
  onTestFinished(async () => {
    await node.run('ctr', '--namespace', 'k8s.io', 'images', 'remove', name)
  })
}

/** How the node's containerd starts an image: what the config says that its manifest names. */
async function configOnNode(image: string): Promise<ImageConfig> {
  const ctr = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await bed.node(nodeName).run('ctr', '--namespace', 'k8s.io', ...args)
    expect(code, stderr).toBe(0)
    return stdout
  }
  const line = await ctr('images', 'list', `name==${image}`)
  const [manifest = ''] = /sha256:[0-9a-f]{64}/.exec(line) ?? []
  const { config } = JSON.parse(await ctr('content', 'get', manifest)) as { config: { digest: string } }
  return (JSON.parse(await ctr('content', 'get', config.digest)) as { config: ImageConfig }).config
}

/** What a container of an image prints before it ends well, started as the image says. */
async function outputOf(image: string, args: readonly string[]): Promise<string> {
  const name = `pod-${randomBytes(4).toString('hex')}`
  const containers = [{ name: 'main', image, imagePullPolicy: 'IfNotPresent', args }]
  const spec = { nodeName, restartPolicy: 'Never', containers }
  onTestFinished(async () => {
    await bed.kubectl(['delete', 'pod', name, '--wait=false', '--ignore-not-found'])
  })
  await mustApply(bed, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec })
  await eventually(async () => {
    const { stdout } = await bed.kubectl(['get', 'pod', name, '--output=jsonpath={.status.phase}'])
    expect(stdout).toBe('Succeeded')
  }, 60_000)
  return (await bed.kubectl(['logs', name])).stdout
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run('ls', ['-d', ...paths])
  return stdout.split('\n').filter(Boolean)
}
