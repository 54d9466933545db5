import { homedir } from 'node:os'
import {
  type ClusterAccess,
  createMetrics,
  loadClusterAccess,
  Namespace,
  silentLogger,
  systemClock,
} from '@portcullis/kube'
import { Client, type ClientOptions } from '@portcullis/kube/internal/client/client.ts'
import { onTestFinished } from 'vitest'
import type { ControlPlaneHandle } from './control-plane-handle.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'

/** The admin's access, by way of the kubeconfig file, as for anybody else. */
export function adminAccess(plane: ControlPlaneHandle): Promise<ClusterAccess> {
  return loadClusterAccess({
    kubeconfig: plane.kubeconfigPath,
    environment: { env: {}, homeDirectory: homedir(), isTerminal: false },
    clock: systemClock,
    log: silentLogger,
  })
}

/** A client that is closed when the test is over. */
export function connect(access: ClusterAccess, options: Partial<ClientOptions> = {}): Client {
  const client = Client.connect({
    access,
    clock: systemClock,
    random: Math.random,
    metrics: createMetrics('portcullis'),
    userAgent: 'portcullis-test/1',
    ...options,
  })
  onTestFinished(() => client.close())
  return client
}

/** A fault proxy in front of the control plane, and the access that leads through it. */
export async function throughProxy(
  plane: ControlPlaneHandle,
): Promise<{ readonly proxy: FaultProxy; readonly access: ClusterAccess }> {
  const proxy = await startFaultProxy({ target: plane })
  onTestFinished(() => proxy.close())
  const admin = await adminAccess(plane)
  return {
    proxy,
    access: { ...admin, server: new URL(proxy.url), tls: { ca: proxy.ca, insecureSkipVerify: false } },
  }
}

/** A namespace of the test's own. It stays: the control plane ends with the run. */
export async function freshNamespace(client: Client): Promise<string> {
  const { metadata } = await client.create(Namespace, { metadata: { generateName: 'test-' } })
  return metadata.name
}

/** A client of the admin's, and a namespace of the test's own. */
export async function aNamespace(
  plane: ControlPlaneHandle,
): Promise<{ readonly client: Client; readonly namespace: string }> {
  const client = connect(await adminAccess(plane))
  return { client, namespace: await freshNamespace(client) }
}
