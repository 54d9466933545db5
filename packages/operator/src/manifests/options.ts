/** What an installation is asked to be. */
export interface ManifestOptions {
  /** Of everything that is made; another one lets two installations share a cluster. */
  readonly name: string
  readonly image: string
  readonly operatorNamespace: string
  readonly operandNamespace: string
  readonly replicas: number
  /** On OpenShift our kinds are there already, and pods need leave to use the host's network. */
  readonly openshift: boolean
  /** ServiceMonitor and PrometheusRule, which only a cluster with the Prometheus operator takes. */
  readonly monitoring: boolean
  /** The namespaces from which metrics may be scraped. */
  readonly metricsNamespaces: readonly string[]
  /** The ports at which an API server may listen; at least one. */
  readonly apiServerPorts: readonly number[]
  /** Whether scrapers have to show who they are. */
  readonly metricsAuthentication: boolean
  /** The text of the operator's configuration file. */
  readonly configuration: string
  /** As in that file: the only image that the operator is let run. */
  readonly routerImage: string
  /** As in that file: so much the operator is let reserve for each router. */
  readonly routerCpuRequest: string
  readonly routerMemoryRequest: string
  /** As in that file: so many routers the operator is let ask for. */
  readonly maxReplicas: number
  /** ValidatingAdmissionPolicies that bound what the operator can do; the API server has them from Kubernetes 1.30 on. */
  readonly admissionPolicy: boolean
  /** Whether routers may take the network of their nodes, as the strategy HostNetwork has it. */
  readonly hostNetwork: boolean
}

/** The holder of this Lease, in the operator's namespace, leads. */
export const leaseName = 'portcullis'

/** Where Prometheus usually is: in OpenShift, and where kube-prometheus was installed. */
export function usualMetricsNamespaces({ openshift }: Pick<ManifestOptions, 'openshift'>): readonly string[] {
  return [openshift ? 'openshift-monitoring' : 'monitoring']
}

/**
 * Where API servers listen: managed and self-hosted clusters, and those of minikube and MicroK8s. A network policy judges
 * the port of the server itself, not that of the Service before it.
 */
export const usualApiServerPorts: readonly number[] = [443, 6443, 8443, 16443]

/** Where /healthz, /readyz and /metrics are served. */
export const healthPort = 8080

/** Any object, as it is written down for `kubectl apply`. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly [field: string]: unknown
}

/** By which everything of an installation is found. */
export function labelsOf({ name }: Pick<ManifestOptions, 'name'>): Record<string, string> {
  return { 'app.kubernetes.io/name': 'portcullis', 'app.kubernetes.io/instance': name }
}
