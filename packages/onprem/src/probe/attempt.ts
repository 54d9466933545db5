/** Where a connection is to go, and what is asked there. */
export interface Destination {
  readonly address: string
  readonly port: number
  readonly isTls: boolean
  /** By which name one comes: it goes into TLS and HTTP. Undefined for who comes by address. */
  readonly name: string | undefined
  readonly path: string
}

/** A connection that was tried, and what came of it: plain data, to be judged later. */
export interface Attempt {
  /** As `https://api.edge.example.com:6443/version at 192.0.2.10`. */
  readonly tried: string
  /** When it began, on the clock of the observer. */
  readonly atMs: number
  readonly outcome: AttemptResult
}

export type AttemptResult =
  | Answered
  /** Nobody took the connection. */
  | { readonly kind: 'no-connection'; readonly code: string }
  /** Somebody took it and ended it without an answer. */
  | {
      readonly kind: 'closed'
      readonly during: 'TLS' | 'the request'
      readonly certificate?: SeenCertificate
    }
  /** Somebody took it and said nothing. */
  | {
      readonly kind: 'silent'
      readonly during: 'TLS' | 'the request'
      readonly certificate?: SeenCertificate
    }
  /** Somebody took it, and what he spoke was no TLS, or TLS that fits nobody. */
  | { readonly kind: 'no-tls'; readonly code: string }

export interface Answered {
  readonly kind: 'answered'
  readonly status: number
  readonly location?: string
  /** Whether nothing more can be asked on its connection: the answer said so, or ended with it. */
  readonly endsConnection?: true
  readonly certificate?: SeenCertificate
  /** Who a fake backend says that it is. */
  readonly backend?: string
  /** What of it was reached. */
  readonly service?: string
}

export interface SeenCertificate {
  /** SHA-256. */
  readonly fingerprint: string
  readonly subject: string
}

/** By which a fake backend says who it is, and a probe what it is. */
export const headers = {
  backend: 'x-portcullis-backend',
  service: 'x-portcullis-service',
  probe: 'x-portcullis-probe',
} as const
