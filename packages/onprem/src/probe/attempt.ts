/** Where a connection is to go, and what is asked there. */
export interface Destination {
  readonly address: string
  readonly port: number
  readonly isTls: boolean
  /** The server name in TLS and HTTP. Undefined when connecting by address. */
  readonly name: string | undefined
  readonly path: string
}

/** A connection attempt and its result: plain data, for the checks. */
export interface Attempt {
  /** As `https://api.edge.example.com:6443/version at 192.0.2.10`. */
  readonly tried: string
  /** When it began, on the clock of the observer. */
  readonly atMs: number
  readonly outcome: AttemptResult
}

export type AttemptResult =
  | AnsweredAttempt
  /** The connection was not accepted. */
  | { readonly kind: 'no-connection'; readonly code: string }
  /** It was accepted and closed without a response. */
  | {
      readonly kind: 'closed'
      readonly during: 'TLS' | 'the request'
      readonly certificate?: SeenCertificate
    }
  /** It was accepted and stayed silent. */
  | {
      readonly kind: 'silent'
      readonly during: 'TLS' | 'the request'
      readonly certificate?: SeenCertificate
    }
  /** It was accepted, and did not speak TLS, or an incompatible version. */
  | { readonly kind: 'no-tls'; readonly code: string }

export interface AnsweredAttempt {
  readonly kind: 'answered'
  readonly status: number
  readonly location?: string
  /** Whether nothing more can be asked on its connection: the answer said so, or ended with it. */
  readonly endsConnection?: true
  readonly certificate?: SeenCertificate
  /** The name that a fake backend gives. */
  readonly backend?: string
  /** What of it was reached. */
  readonly service?: string
}

export interface SeenCertificate {
  /** SHA-256. */
  readonly fingerprint: string
  readonly subject: string
}

/** Headers by which a fake backend names itself, and a probe of ours marks itself. */
export const headers = {
  backend: 'x-portcullis-backend',
  service: 'x-portcullis-service',
  probe: 'x-portcullis-probe',
} as const
