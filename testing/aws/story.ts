import { test } from 'vitest'
import { sharedAws } from '../clusters/aws/shared-aws.ts'
import type { Cluster } from '../e2e/cluster.ts'
import { type DefineStory, stories } from '../e2e/story.ts'
import { AwsStory } from './aws-story.ts'
import type { RealCloud } from './real-cloud.ts'

/** The cloud controller manager tries again after 5, 10, 20 seconds; some stories wait for that. */
const timeoutMs = 150_000

/** It looks after one Service at a time, so that more would only wait for each other. */
const atOnce = 4

/**
 * Runs stories on AWS. In the project `aws` they run with its own cloud controller manager, elsewhere
 * in a sandbox with the cloud that we play; what becomes of a Service must be the same in both. `onTheRealOne` is for
 * what that cannot simulate; such a story runs alone.
 */
export function awsStories(): {
  story: DefineStory<AwsStory>
  alone: DefineStory<AwsStory>
  inTheUsualNamespaces: DefineStory<AwsStory>
  onTheRealOne: DefineStory<RealStory>
} {
  const { missing } = sharedAws() ?? {}
  if (missing !== undefined)
    return { story: skip, alone: skip, inTheUsualNamespaces: skip, onTheRealOne: skip }
  const { story, alone } = stories({ timeoutMs, atOnce })
  const isReal = sharedAws() !== undefined
  return {
    story: on(story),
    alone: on(alone),
    inTheUsualNamespaces: on(alone, (cluster) => cluster.inTheUsualNamespaces()),
    onTheRealOne: (title, body) => {
      if (isReal) on(alone)(title, (aws) => body(aws as RealStory))
    },
  }
}

/** A story whose cloud is certainly the real one. */
type RealStory = AwsStory & { readonly real: RealCloud }

function skip(title: string): void {
  test.skip(title)
}

/** Around each story stands what is done before and after every one. */
function on(define: DefineStory, prepare = (cluster: Cluster) => cluster): DefineStory<AwsStory> {
  return (title, body) =>
    define(title, async (cluster) => {
      const aws = await AwsStory.begin(prepare(cluster.on('AWS')), title)
      try {
        await body(aws)
        await aws.end()
      } finally {
        await aws.close()
      }
    })
}
