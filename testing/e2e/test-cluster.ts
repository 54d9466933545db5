import type { Client, ClusterAccess } from '@portcullis/kube'
import { afterAll, beforeAll, inject } from 'vitest'
import type { AwsCoordinates } from '../clusters/aws/aws-cluster.ts'
import { sharedAws } from '../clusters/aws/shared-aws.ts'
import { ControlPlaneHandle } from '../clusters/control-plane-handle.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'

/** A cluster in which our kinds are known and pods run, mostly without a cloud: each story brings its own. */
export interface TestCluster {
  readonly name: 'sandbox' | 'real'
  /** Where AWS' own cloud controller manager looks after all Services, so that stories bring none. */
  readonly aws?: AwsCoordinates
  readonly access: ClusterAccess
  /** The admin's. */
  readonly client: Client
  /** Runs a command as the admin would type it. */
  run(line: string): Promise<string>
  close(): Promise<void>
}

/** Also where other tests keep all cores busy. */
const startsWithinMs = 60_000

/**
 * The cluster that a file's stories share: in the projects `control-plane` and `machine` the real control plane, in `aws` the one with
 * AWS' cloud controller manager, elsewhere a sandbox of the file's own. It is there from the file's first story to its last.
 */
export function sharedTestCluster(): () => TestCluster {
  let testCluster: TestCluster | undefined
  beforeAll(async () => {
    // Provided in the project `control-plane` alone, whatever its type says.
    const isReal = (inject('controlPlane') as unknown) !== undefined
    const aws = sharedAws()?.cluster
    testCluster = aws !== undefined ? await theOneOnAws(aws) : isReal ? await theRealOne() : await aSandbox()
  }, startsWithinMs)
  afterAll(() => testCluster?.close())
  return () => {
    if (testCluster === undefined) throw new Error('The test cluster exists in tests and hooks only.')
    return testCluster
  }
}

// Each is loaded only where it is used: that is a second for each file.

async function theRealOne(): Promise<TestCluster> {
  const { realTestCluster } = await import('./real-test-cluster.ts')
  return realTestCluster(sharedControlPlane())
}

async function theOneOnAws(aws: AwsCoordinates): Promise<TestCluster> {
  const { realTestCluster } = await import('./real-test-cluster.ts')
  return { ...(await realTestCluster(new ControlPlaneHandle(aws.controlPlane))), aws }
}

async function aSandbox(): Promise<TestCluster> {
  const { sandboxTestCluster } = await import('./sandbox-test-cluster.ts')
  return sandboxTestCluster()
}
