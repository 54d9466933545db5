/**
 * How to reach one cluster, and as whom. Kubeconfig files and the in-cluster service account both come down to
 * this; the client needs nothing else.
 */
export interface ClusterAccess {
  /** Where the access was read from, for error messages: `context "prod" of /home/ann/.kube/config`. */
  readonly source: string
  /** The API server's URL; a path in it is kept in front of every request. */
  readonly server: URL
  /** The namespace to use when a person names none. */
  readonly namespace: string
  readonly tls: {
    /** PEM of the authorities to trust instead of the system's. */
    readonly ca?: string
    /** The name to check the server's certificate against, where it differs from the URL's. */
    readonly serverName?: string
    readonly insecureSkipVerify: boolean
  }
  /** `http://`, `https://` or `socks5://` proxy in front of the server. */
  readonly proxy?: URL
  readonly impersonate?: Impersonation
  readonly credentials: Credentials
}

export interface Impersonation {
  readonly user?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** What proves who we are, at this moment. An empty one is an anonymous request. */
export interface Credential {
  /** The value of the Authorization header, whole: `Bearer …` or `Basic …`. */
  readonly authorization?: string
  /** PEM. */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string }
}

/** Where credentials come from: constants, files that rotate, or a plugin. */
export interface Credentials {
  /**
   * The credential to use now: at once when nothing has changed, a promise when a file is to be read or a plugin
   * to be run. It is the identical object until something has changed, so that callers can compare with `===`.
   */
  current(signal?: AbortSignal): Credential | Promise<Credential>
  /**
   * The server answered 401 to this credential. Drops what was cached; true if `current` may now give another
   * one, so that trying once more makes sense.
   */
  rejected(credential: Credential): Promise<boolean>
}
