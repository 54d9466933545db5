import type { ControlPlaneHandle } from '../control-plane-handle.ts'
import { eventually } from '../eventually.ts'
import type { BedImages } from '../images/bed-images.ts'
import { clusterDns } from './cluster-dns.ts'
import { networkPolicyAccess } from './network-policy.ts'

/** Applies what every cluster has beside its nodes. Its pods may be ready later than the nodes are. */
export async function applyClusterObjects(
  controlPlane: ControlPlaneHandle,
  { clusterDns: dns }: BedImages,
): Promise<void> {
  const items = [...networkPolicyAccess(), ...clusterDns(dns.name)]
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  // The API server makes the namespace kube-system itself, a moment after it is ready.
  await eventually(async () => {
    const { code, stderr } = await controlPlane.kubectl(['apply', '--server-side', '-f', '-'], { input })
    if (code !== 0) throw new Error(`What every cluster has could not be applied:\n${stderr}`)
  }, 20_000)
}
