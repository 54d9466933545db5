import { Deployment, type Kind, Service } from '@portcullis/kube'
import { expect, test, vi } from 'vitest'
import { Cluster } from './cluster.ts'
import { fieldsBeyond } from './ownership.ts'
import { sharedTestCluster } from './test-cluster.ts'

type StoryBody<Subject = Cluster> = (subject: Subject) => Promise<void>

/**
 * Runs the stories of a file. They share a cluster, each in namespaces of its own, and run concurrently;
 * `alone` is for one that needs something of which there is only one.
 *
 *     const { story } = stories()
 *     story('a scope change on AWS waits for the user', async (cluster) => { … })
 */
export function stories({ timeoutMs = 60_000, atOnce = 8 } = {}): { story: DefineStory; alone: DefineStory } {
  const testCluster = sharedTestCluster()
  // They wait more than they work.
  vi.setConfig({ maxConcurrency: atOnce })
  const runStory = (body: StoryBody) => async () => {
    const cluster = new Cluster(testCluster())
    try {
      await body(cluster)
      await checkInvariants(cluster)
    } catch (error) {
      if (cluster.errors.length > 0) console.error(cluster.errors.join('\n'))
      throw error
    } finally {
      await cluster.close()
    }
  }
  return {
    story: (title, body) => test.concurrent(title, runStory(body), timeoutMs),
    alone: (title, body) => test(title, runStory(body), timeoutMs),
  }
}

export type DefineStory<Subject = Cluster> = (title: string, body: StoryBody<Subject>) => void

/** What holds at the end of every story, whatever it was about. */
async function checkInvariants({ journal, client, settings, errors }: Cluster): Promise<void> {
  expect(errors, 'errors in the log of the operator').toEqual([])
  expect(journal.idleWrites, 'writes that changed nothing').toEqual([])
  expect(journal.needlessReads, 'reads beside the watches').toEqual([])
  const namespace = settings.operandNamespace
  for (const kind of [Service, Deployment] as Kind[]) {
    for (const object of (await client.list(kind, { namespace })).items) {
      const written = journal.writtenTo(object.metadata.uid)
      expect(fieldsBeyond(written, object), `fields of ${kind.kind} that we own and did not write`).toEqual(
        [],
      )
    }
  }
}
