import { defineConfig } from 'vitest/config'

/** Where `.ci/run` collects results to add them up; unset when a person runs the tests. */
const resultsDirectory = process.env['PORTCULLIS_RESULTS']
const counting: ['json', { outputFile: string }][] =
  resultsDirectory === undefined
    ? []
    : [['json', { outputFile: `${resultsDirectory}/tests-${process.pid}.json` }]]

/**
 * In CI a test that fails is tried once more, and the summary names it: a machine that stalls must not turn a change
 * away. Elsewhere it fails at once, so that whoever wrote it sees it.
 */
const retry = process.env['CI'] === 'true' ? 1 : 0

/** Told on the sandbox by `npm test`: what most people will do. The others take longer. */
const firstStories =
  'test/e2e/{addresses,client-access,host-network,lifecycle,scope-change,users-change-the-scope,users-share-nodes}.test.ts'
const longStories = [
  'test/e2e/**/*.test.ts',
  'test/e2e-crash/**/*.test.ts',
  'test/aws/**/*.test.ts',
  'test/mutations/hostile.test.ts',
  'test/processes/**/*.test.ts',
  'test/security/{flood,secrets,terminal}.test.ts',
]

/** Of the suites that need a cluster, those files that need none. */
const withoutCluster =
  'test/security/{confidences,known-reproductions,linear-time,regular-expressions,supply-chain,threat-model}.test.ts'

export default defineConfig({
  test: {
    reporters: ['default', ...counting],
    projects: [
      {
        test: {
          name: 'unit',
          retry,
          maxWorkers: 2,
          include: [
            'src/**/*.test.ts',
            'test/clusters/**/*.test.ts',
            'test/api/**/*.test.ts',
            'test/crds/**/*.test.ts',
            'test/hostile/**/*.test.ts',
            firstStories,
            'test/faults/**/*.test.ts',
            'test/mutations/mutations.test.ts',
            'test/mutants/**/*.test.ts',
            withoutCluster,
            'test/sandbox/controllers/cloud*.test.ts',
          ],
        },
      },
      {
        test: { name: 'stories', retry, maxWorkers: 2, include: longStories, exclude: [firstStories] },
      },
      {
        test: {
          name: 'cluster',
          retry,
          include: [
            'test/{addresses,api,crds,e2e,endurance,hostile,kube,manifests,onprem,sandbox,security,tour}/**/*.test.ts',
            'test/mutations/hostile.test.ts',
            'test/mutations/cluster/**/*.test.ts',
          ],
          exclude: [withoutCluster],
          globalSetup: ['test/clusters/global-control-plane.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'aws',
          retry,
          include: ['test/aws/**/*.test.ts'],
          globalSetup: ['test/clusters/aws/global-aws.ts'],
          fileParallelism: false,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
