import { defineConfig } from 'vitest/config'

/** Where `.ci/run` collects results to add them up; unset when a person runs the tests. */
const resultsDirectory = process.env['PORTCULLIS_RESULTS']
const counting: ['json', { outputFile: string }][] =
  resultsDirectory === undefined
    ? []
    : [['json', { outputFile: `${resultsDirectory}/tests-${process.pid}.json` }]]

export default defineConfig({
  test: {
    reporters: ['default', ...counting],
    projects: [
      {
        test: {
          name: 'unit',
          maxWorkers: 2,
          include: [
            'src/**/*.test.ts',
            'test/clusters/**/*.test.ts',
            'test/api/**/*.test.ts',
            'test/crds/**/*.test.ts',
            'test/e2e/**/*.test.ts',
            'test/e2e-crash/**/*.test.ts',
            'test/aws/**/*.test.ts',
            'test/sandbox/controllers/cloud*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/{addresses,api,crds,e2e,kube,sandbox}/**/*.test.ts'],
          globalSetup: ['test/clusters/global-control-plane.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'aws',
          include: ['test/aws/**/*.test.ts'],
          globalSetup: ['test/clusters/aws/global-aws.ts'],
          fileParallelism: false,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
