import { defineConfig } from 'vitest/config'
import { directImportsPlugin } from './scripts/direct-imports.ts'
import { BalancedSequencer } from './testing/balanced-shards.ts'

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

/** `sandbox-first`: of the suites on the sandbox those that `npm test` plays, what most people will do. */
const firstOnSandbox = [
  'testing/conformance/*.test.ts',
  'testing/conformance/crds/*.test.ts',
  'testing/conformance/controllers/cloud.test.ts',
  'testing/hostile-objects/*.test.ts',
  'testing/e2e/{addresses,client-access,host-network,lifecycle,scope-change,users-change-the-scope,users-share-nodes}.test.ts',
]
/** `sandbox`: the others on the sandbox, which take longer; `npm run test:sandbox` plays them. What is in both lists is in the first. */
const laterOnSandbox = [
  'testing/e2e/**/*.test.ts',
  'testing/aws/**/*.test.ts',
  'testing/mutations/hostile.test.ts',
  'testing/cli/npm.test.ts',
  'testing/security/{flood,secrets,terminal}.test.ts',
]

/** Of the suites that need a cluster, those files that need none. */
const withoutCluster =
  'testing/security/{secret-scanner,known-reproductions,linear-time,regular-expressions,supply-chain,threat-model}.test.ts'

/** One file after the other, on a control plane that they share. */
const onControlPlane = {
  retry,
  globalSetup: ['testing/clusters/global-control-plane.ts'],
  fileParallelism: false,
  testTimeout: 120_000,
  hookTimeout: 120_000,
}

const plugins = [directImportsPlugin()]

/**
 * A project is named for what it needs; `machine` for a control plane and other programs: Helm, shells, Debian's packages;
 * `namespaces` for network namespaces, `nodes` for a cluster with real nodes in them.
 */
export default defineConfig({
  test: {
    reporters: ['default', ...counting],
    sequence: { sequencer: BalancedSequencer },
    projects: [
      {
        plugins,
        test: {
          name: 'unit',
          retry,
          maxWorkers: 2,
          include: [
            'packages/**/*.test.ts',
            'scripts/**/*.test.ts',
            'testing/documentation/**/*.test.ts',
            'testing/clusters/**/*.test.ts',
            'testing/faults/**/*.test.ts',
            'testing/mutations/{generator,mutations}.test.ts',
            'testing/mutants/**/*.test.ts',
            'testing/proof/**/*.test.ts',
            'testing/*.test.ts',
            withoutCluster,
          ],
          exclude: ['**/node_modules/**', '**/*.namespaces.test.ts'],
        },
      },
      {
        plugins,
        test: { name: 'sandbox-first', retry, maxWorkers: 2, include: firstOnSandbox },
      },
      {
        plugins,
        test: { name: 'sandbox', retry, maxWorkers: 2, include: laterOnSandbox, exclude: firstOnSandbox },
      },
      {
        plugins,
        test: {
          name: 'control-plane',
          ...onControlPlane,
          include: [
            'testing/{address-writer,conformance,e2e,hostile-objects,kube-runtime}/**/*.test.ts',
            'testing/mutations/hostile.test.ts',
            'testing/mutations/cluster/**/*.test.ts',
          ],
          exclude: ['testing/e2e/crash/**'],
        },
      },
      {
        plugins,
        test: {
          name: 'machine',
          ...onControlPlane,
          include: ['testing/{cli,endurance,installation,onprem,security}/**/*.test.ts'],
          exclude: [withoutCluster, 'testing/cli/npm.test.ts'],
        },
      },
      {
        plugins,
        test: {
          name: 'namespaces',
          retry,
          include: ['testing/clusters/**/*.namespaces.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        plugins,
        test: {
          name: 'nodes',
          retry,
          include: ['testing/nodes/**/*.test.ts'],
          globalSetup: ['testing/clusters/real-nodes/global-nodes.ts'],
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        plugins,
        test: {
          name: 'aws',
          retry,
          include: ['testing/aws/**/*.test.ts'],
          globalSetup: ['testing/clusters/aws/global-aws.ts'],
          fileParallelism: false,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
