import type { KubeApi, Metrics } from '@portcullis/kube'
import { type CloudOptions, registerCloud } from './cloud/cloud.ts'
import type { ControllerContext } from './controller-context.ts'
import { registerDeployments } from './deployment/deployment.ts'
import { registerDisruptionBudgets } from './disruption/disruption.ts'
import { registerEndpoints } from './endpoints/endpoints.ts'
import { registerGarbageCollector } from './garbage-collector/garbage-collector.ts'
import { type KubeletOptions, registerKubelet } from './kubelet/kubelet.ts'
import type { PodLogs } from './kubelet/pod-logs.ts'
import { registerNamespaces } from './namespace/namespace.ts'
import { registerReplicaSets } from './replicaset/replicaset.ts'
import { registerRootCertificates } from './root-certificate/root-certificate.ts'
import { registerScheduler } from './scheduler/scheduler.ts'
import type { FindKinds } from './served-kinds.ts'
import { registerServiceAccounts } from './service-account/service-account.ts'

/** All controllers of a sandbox cluster. Each can be registered on its own as well. */
export interface SandboxControllers extends ControllerContext {
  /** None where the machines are one's own. */
  readonly cloud?: Pick<CloudOptions, 'platform' | 'timing' | 'faults'>
  readonly kubelet?: Pick<KubeletOptions, 'plays' | 'heartbeatMs' | 'crashBackoff' | 'logs'>
  /** For the garbage collector's own watches. */
  readonly client: Pick<KubeApi, 'pages' | 'watchOnce'>
  readonly metrics: Metrics
  readonly findKinds: FindKinds
  /** PEM; published in every namespace if given. */
  readonly ca?: string
}

/** Registers every controller, to run when the manager does; gives the logs of the pods, for `kubectl logs`. */
export function registerSandboxControllers(options: SandboxControllers): PodLogs {
  const { manager, caches, clock, random, log, client, metrics, findKinds } = options
  const context: ControllerContext = { manager, caches, clock, random, log }
  if (options.cloud !== undefined) registerCloud({ ...context, ...options.cloud })
  registerScheduler(context)
  const logs = registerKubelet({ ...context, ...options.kubelet })
  registerReplicaSets(context)
  registerDeployments(context)
  registerGarbageCollector({ manager, clock, random, log, client, metrics, findKinds })
  registerNamespaces({ ...context, findKinds })
  registerEndpoints(context)
  registerDisruptionBudgets(context)
  registerServiceAccounts(context)
  if (options.ca !== undefined) registerRootCertificates({ ...context, ca: options.ca })
  return logs
}
