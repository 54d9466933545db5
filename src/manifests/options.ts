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
  /** The text of the operator's configuration file. */
  readonly configuration: string
}

/** Whoever holds this Lease, in the operator's namespace, leads. */
export const leaseName = 'portcullis'

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
