import { type Certificate, clientCertificate } from '@portcullis/kube/internal/certificates.ts'
import { allOrNone } from '../all-or-none.ts'
import { ApiServer, auditLogName } from '../api-server.ts'
import type { Binaries } from '../binaries.ts'
import { ControlPlane } from '../control-plane.ts'
import { startControllerManager, startScheduler } from '../controllers.ts'
import { startEtcd } from '../etcd.ts'
import { freePort } from '../free-port.ts'
import type { Inside } from '../inside.ts'
import { kubeconfig } from '../kubeconfig-file.ts'
import type { Log } from '../log.ts'
import { writeServiceAccountKeys } from '../service-account-keys.ts'
import { makeTokens } from '../tokens.ts'
import { Workspace } from '../workspace.ts'
import { apiServerPort, apiServiceIp, plane, serviceRanges } from './layout.ts'
import type { Relay } from './relay.ts'

/** A node without a heartbeat for so long counts as gone; its kubelet renews its lease every two seconds. */
export const nodeGraceSeconds = 10

export interface NodesControlPlaneOptions {
  readonly directory: string
  readonly binaries: Binaries
  readonly authority: Certificate
  /** The namespace of the control plane. */
  readonly inside: Inside
  readonly relay: Relay
  readonly log: Log
  readonly signal?: AbortSignal | undefined
}

/** A control plane for real nodes, in a network namespace of the bed's; this machine reaches it through the relay. */
export async function startNodesControlPlane(options: NodesControlPlaneOptions): Promise<ControlPlane> {
  const { directory, inside, log } = options
  const workspace = await Workspace.create(log, { parent: directory, inside })
  try {
    return await startIn(workspace, options)
  } catch (error) {
    await workspace.remove()
    throw error
  }
}

async function startIn(workspace: Workspace, options: NodesControlPlaneOptions): Promise<ControlPlane> {
  const { binaries, authority, relay, signal } = options
  const tokens = makeTokens()
  const serviceAccountKeys = await writeServiceAccountKeys(workspace)
  const etcdPort = await freePort()
  await relay.open(etcdPort, etcdPort, signal)
  const etcd = await startEtcd(workspace, binaries.etcd, { port: etcdPort, signal })

  const port = await freePort()
  await relay.open(port, apiServerPort, signal)
  const apiServer = await ApiServer.prepare(workspace, {
    binary: binaries.kubeApiserver,
    port,
    etcd,
    authority,
    tokens,
    serviceAccountKeys,
    extraFlags: ['--default-not-ready-toleration-seconds=30', '--default-unreachable-toleration-seconds=30'],
    realNodes: {
      address: plane.ipv4,
      port: apiServerPort,
      names: [plane.ipv4, plane.ipv6, apiServiceIp, 'kubernetes.default', 'kubernetes.default.svc'],
      serviceRange: `${serviceRanges.ipv4},${serviceRanges.ipv6}`,
      kubeletClient: await clientCertificate(authority, 'kube-apiserver', ['system:masters']),
    },
  })
  await apiServer.start(signal)

  const admin = { ca: authority.certificate, user: 'admin', token: tokens.admin }
  const kubeconfigPath = await workspace.write('kubeconfig', kubeconfig({ server: apiServer.url, ...admin }))
  const server = `https://127.0.0.1:${apiServerPort}`
  const insideKubeconfig = await workspace.write('kubeconfig-inside', kubeconfig({ server, ...admin }))
  const auditLog = workspace.path(auditLogName)
  const coordinates = { server: apiServer.url, authority, tokens, kubeconfigPath, etcd, auditLog, binaries }
  const controlPlane = new ControlPlane(coordinates, workspace, apiServer)
  await allOrNone(signal, [
    (signal) =>
      startControllerManager(
        workspace,
        controlPlane,
        { serviceAccountKeys, hasCloud: true, nodeGraceSeconds, kubeconfigPath: insideKubeconfig },
        signal,
      ),
    () => startScheduler(workspace, controlPlane, insideKubeconfig),
  ])
  return controlPlane
}

/** For the kubelet or kube-proxy of a node. */
export async function nodeKubeconfig(
  authority: Certificate,
  user: string,
  groups: readonly string[],
): Promise<string> {
  return kubeconfig({
    server: `https://${plane.ipv4}:${apiServerPort}`,
    ca: authority.certificate,
    user,
    certificate: await clientCertificate(authority, user, groups),
  })
}
