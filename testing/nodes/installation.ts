import type { Client } from '@portcullis/kube'
import { defaultSettings, IngressController } from '@portcullis/operator'
import { asApplied } from '@portcullis/operator/testing'
import { afterAll, beforeAll, expect, onTestFinished, type TestContext } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { BedImages } from '../clusters/images/bed-images.ts'
import { Cloud } from '../clusters/real-nodes/cloud/cloud.ts'
import type { NodesHandle } from '../clusters/real-nodes/nodes-handle.ts'
import { sharedNodes } from '../clusters/real-nodes/shared-nodes.ts'
import { run } from '../clusters/run-command.ts'
import { adminAccess } from '../clusters/test-client.ts'
import { Router } from '../e2e/router.ts'
import { connect } from '../e2e/start-manager.ts'

export const { operatorNamespace, operandNamespace } = defaultSettings

/** Portcullis on the bed, as `portcullis manifests` installs it, with a cloud around it. */
export interface Installation {
  readonly bed: NodesHandle
  readonly images: BedImages
  readonly cloud: Cloud
  /** The admin's. */
  readonly client: Client
}

/** What a file's stories share: installed before the first, and without any controller after the last. */
export function sharedInstallation(platform: 'AWS' | 'Azure' = 'AWS'): () => Installation {
  const { bed, images } = sharedNodes()
  let installation: Installation | undefined
  beforeAll(async () => {
    if (bed === undefined) return
    const client = connect(await adminAccess(bed), 'story')
    installation = { bed, images, client, cloud: await Cloud.start(bed, platform) }
    await install(bed, images, `--platform=${platform}`)
  })
  afterAll(async () => {
    if (installation === undefined) return
    await removeControllers(installation.client)
    await installation.cloud.stop()
    await installation.client.close()
  })
  return () => {
    if (installation === undefined) throw new Error('The installation exists in tests and hooks only.')
    return installation
  }
}

/** Applies what `portcullis manifests` prints, with the operator and the router of this bed, and waits until both operators are ready. */
export async function install(
  bed: NodesHandle,
  images: BedImages,
  ...flags: readonly string[]
): Promise<void> {
  const printed = await manifests(
    `--image=${images.operator.name}`,
    `--router-image=${images.router.name}`,
    '--domain=apps.example.com',
    ...flags,
  )
  await must(bed, ['apply', '--filename=-'], printed)
  await operatorsAreReady(bed)
}

export async function operatorsAreReady(bed: NodesHandle): Promise<void> {
  await must(bed, [
    'rollout',
    'status',
    'deployment/portcullis',
    `--namespace=${operatorNamespace}`,
    '--timeout=90s',
  ])
}

export async function manifests(...flags: readonly string[]): Promise<string> {
  const command = ['--import', 'tsx', 'packages/cli/src/main.ts', 'manifests', ...flags]
  const { stdout, stderr, code } = await run(process.execPath, command)
  expect(code, stderr).toBe(0)
  return stdout
}

/** What kubectl prints when it succeeds. */
export async function must(bed: NodesHandle, args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await bed.kubectl(args, input === undefined ? {} : { input })
  expect(code, `kubectl ${args.join(' ')}\n${stderr}`).toBe(0)
  return stdout
}

/**
 * An IngressController, with two routers unless the spec says otherwise.
 *
 * @param until what removes it; the end of the test unless given, which tests that run side by side have to give
 */
export async function createController(
  { client }: Pick<Installation, 'client'>,
  name: string,
  strategy: object,
  spec: object = {},
  until: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<Router> {
  const router = new Router(name, client, defaultSettings)
  const controller = {
    metadata: router.ref,
    spec: {
      domain: `${name}.example.com`,
      replicas: 2,
      endpointPublishingStrategy: withoutNulls(strategy) as { type: 'Private' },
      ...spec,
    },
  }
  await client.create(IngressController, asApplied(controller))
  until.onTestFinished(async () => {
    await router.delete().catch(() => undefined)
  })
  return router
}

/** What a merge patch takes away is not there in the beginning. */
function withoutNulls(strategy: object): object {
  return Object.fromEntries(Object.entries(strategy).filter(([, value]) => value !== null))
}

/** Routers have to stay up for 30 seconds, one after the other, before a roll-out is over. */
export const rollsOutWithinMs = 240_000

/** Waits until everything is as the spec of now asks. */
export async function isSettled(router: Router): Promise<void> {
  await router.isAnswered()
  await router.reports('Available', { status: 'True' }, rollsOutWithinMs)
  await router.reports('Progressing', { status: 'False' }, rollsOutWithinMs)
  await router.reports('DeploymentRollingOut', { status: 'False' }, rollsOutWithinMs)
}

async function removeControllers(client: Client): Promise<void> {
  const all = async () => (await client.list(IngressController, { namespace: operatorNamespace })).items
  for (const { metadata } of await all())
    await client.delete(IngressController, metadata).catch(() => undefined)
  await eventually(async () => expect((await all()).map(({ metadata }) => metadata.name)).toEqual([]), 60_000)
}
