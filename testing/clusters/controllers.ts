import type { ControlPlaneHandle } from './control-plane-handle.ts'
import type { ServiceAccountKeyFiles } from './service-account-keys.ts'
import type { Workspace } from './workspace.ts'

/** They hand out certificates and tokens to joining nodes; no node ever joins here. */
const controllersLeftOut = [
  'bootstrap-signer-controller',
  'token-cleaner-controller',
  'certificatesigningrequest-signing-controller',
]

export interface ControllerManagerSettings {
  readonly serviceAccountKeys: ServiceAccountKeyFiles
  /** Whether a cloud brings controllers of its own. */
  readonly hasCloud: boolean
  /** After which a node without a heartbeat counts as gone, and its pods as not ready; as usual where it is left out. */
  readonly nodeGraceSeconds?: number | undefined
  /** With which it reaches the API server; the admin's unless given. */
  readonly kubeconfigPath?: string | undefined
}

/** Starts kube-controller-manager. Resolves when there is a service account, which only it makes. */
export async function startControllerManager(
  workspace: Workspace,
  plane: ControlPlaneHandle,
  { serviceAccountKeys, hasCloud, nodeGraceSeconds, kubeconfigPath }: ControllerManagerSettings,
  signal?: AbortSignal,
): Promise<void> {
  const manager = workspace.launch('kube-controller-manager', plane.binaries.kubeControllerManager, [
    `--kubeconfig=${kubeconfigPath ?? plane.kubeconfigPath}`,
    `--service-account-private-key-file=${serviceAccountKeys.privateKey}`,
    `--root-ca-file=${workspace.path('ca.crt')}`,
    `--controllers=${['*', ...controllersLeftOut.map((name) => `-${name}`)].join(',')}`,
    '--use-service-account-credentials=false',
    ...(hasCloud ? ['--cloud-provider=external'] : []),
    ...(nodeGraceSeconds === undefined ? [] : [`--node-monitor-grace-period=${nodeGraceSeconds}s`]),
    '--leader-elect=false',
    '--secure-port=0',
  ])
  const account = ['wait', '--for=create', 'serviceaccount/default', '--timeout=2s']
  await manager.ready(async () => (await plane.kubectl(account, { signal })).code === 0, signal)
}

/** Starts kube-scheduler. It gives no sign of being ready: pods just wait for it. */
export async function startScheduler(
  workspace: Workspace,
  plane: ControlPlaneHandle,
  kubeconfigPath = plane.kubeconfigPath,
): Promise<void> {
  const scheduler = workspace.launch('kube-scheduler', plane.binaries.kubeScheduler, [
    `--kubeconfig=${kubeconfigPath}`,
    '--leader-elect=false',
    '--secure-port=0',
  ])
  await scheduler.ready(async () => true)
}
