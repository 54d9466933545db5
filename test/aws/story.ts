import { test } from 'vitest'
import { sharedAws } from '../clusters/aws/shared-aws.ts'
import { stories, type Telling } from '../e2e/story.ts'
import { AwsStory } from './aws-story.ts'

/** The cloud controller manager tries again after 5, 10, 20 seconds; some stories wait for that. */
const timeoutMs = 150_000

/**
 * How a file tells stories of AWS. In the project `aws` they happen with its own cloud controller manager, elsewhere
 * in a sandbox with the cloud that we play; what becomes of a Service must be the same in both.
 */
export function awsStories(): { story: Telling<AwsStory>; alone: Telling<AwsStory> } {
  const missing = sharedAws()?.missing
  if (missing !== undefined) {
    const skip: Telling<AwsStory> = (title) => void test.skip(title)
    return { story: skip, alone: skip }
  }
  const { story, alone } = stories({ timeoutMs })
  const on =
    (telling: Telling): Telling<AwsStory> =>
    (title, tell) =>
      telling(title, async (cluster) => {
        const aws = await AwsStory.begin(cluster.on('AWS'), title)
        try {
          await tell(aws)
          await aws.end()
        } finally {
          await aws.close()
        }
      })
  return { story: on(story), alone: on(alone) }
}
