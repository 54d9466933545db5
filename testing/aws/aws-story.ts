import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { IngressController } from '@portcullis/operator'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from '../e2e/cluster.ts'
import type { Cloud } from './cloud.ts'
import { RealCloud } from './real-cloud.ts'
import { SandboxCloud } from './sandbox-cloud.ts'
import { ServiceTimelines } from './service-timelines.ts'

/** A story on AWS: the cluster that it happens in, and the cloud around that. */
export class AwsStory {
  readonly cluster: Cluster
  readonly cloud: Cloud
  /** Undefined where the cloud is played by us. */
  readonly real: RealCloud | undefined
  readonly #timelines: ServiceTimelines
  readonly #record: string

  static async begin(cluster: Cluster, title: string): Promise<AwsStory> {
    await cluster.prepare()
    const timelines = await ServiceTimelines.follow(cluster.testCluster, cluster.settings.operandNamespace)
    return new AwsStory(cluster, title, timelines)
  }

  private constructor(cluster: Cluster, title: string, timelines: ServiceTimelines) {
    const { aws } = cluster.testCluster
    const { operandNamespace } = cluster.settings
    this.cluster = cluster
    this.real = aws && new RealCloud(aws, operandNamespace)
    this.cloud = this.real ?? new SandboxCloud(cluster)
    this.#timelines = timelines
    const name = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
    this.#record = fileURLToPath(new URL(`golden/service-timelines/${name}.txt`, import.meta.url))
  }

  /** Has the operator remove what the story made: nothing may be left in the cloud. Then the timelines are compared. */
  async end(): Promise<void> {
    const { client, settings } = this.cluster
    const namespace = settings.operatorNamespace
    const controllers = async () => (await client.list(IngressController, { namespace })).items
    for (const { metadata } of await controllers()) {
      if (metadata.deletionTimestamp === undefined) await client.delete(IngressController, metadata)
    }
    await eventually(async () => expect(await controllers()).toEqual([]), 60_000)
    await eventually(async () =>
      expect(await this.cloud.leftBehind(), 'left behind in the cloud').toEqual([]),
    )
    await this.#timelinesMatchTheRecording()
  }

  async close(): Promise<void> {
    await this.cloud.repair()
    await this.#timelines.stop()
  }

  /** What is recorded was written by the real cloud; the one that we play must agree, and the real one still. */
  async #timelinesMatchTheRecording(): Promise<void> {
    if (this.real !== undefined && process.env['PORTCULLIS_RECORD'] !== undefined) {
      await writeFile(this.#record, String(this.#timelines))
    }
    const recorded = await readFile(this.#record, 'utf8')
    await eventually(() => expect(String(this.#timelines)).toBe(recorded))
  }
}
