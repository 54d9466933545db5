import { createHash } from 'node:crypto'
import type { TokenReview as TokenReviewObject } from 'kubernetes-types/authentication/v1'
import type { SubjectAccessReview as SubjectAccessReviewObject } from 'kubernetes-types/authorization/v1'
import type { KubeApi } from '../client/api.ts'
import type { Clock } from '../clock.ts'
import { kind } from '../objects/objects.ts'
import { TokenBucket } from './connection-budget.ts'

const TokenReview = kind<TokenReviewObject>('authentication.k8s.io/v1', 'TokenReview')
const SubjectAccessReview = kind<SubjectAccessReviewObject>('authorization.k8s.io/v1', 'SubjectAccessReview')

/** How long an accepted token is cached: one that is withdrawn is good for that much longer. */
const decisionsHoldMs = 10_000
const mostDecisions = 100
/** The API server is asked no more often, however many tokens are tried. */
const reviews = { perSecond: 5, burst: 20 }
/** The budget of tokens that were accepted before, whatever others try meanwhile: how many, how long after, and how often each. */
const mostGranted = 10
const grantsHoldMs = 3_600_000
const reviewsOfGranted = { perSecond: 0.5, burst: 5 }
const timeoutMs = 5_000

/** Why a request may not read the metrics, as an HTTP response. */
export interface Refusal {
  readonly status: 401 | 403 | 429 | 503
  readonly body: string
}

/**
 * Who may read `/metrics`: a bearer token that the API server authenticates, of a user that may `get` the URL
 * `/metrics`. The same reviews as in kube-rbac-proxy and controller-runtime. When the API server is
 * unavailable, access is denied.
 */
export class ScrapeAccess {
  readonly #client: Pick<KubeApi, 'create'>
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #reviews = new TokenBucket(reviews)
  /** By the digest of the token: tokens themselves are not kept. */
  readonly #decisions = new Map<
    string,
    { readonly refusal: Promise<Refusal | undefined>; readonly at: number }
  >()
  readonly #granted = new Map<string, { readonly at: number; readonly reviews: TokenBucket }>()

  constructor(client: Pick<KubeApi, 'create'>, clock: Pick<Clock, 'monotonic'>) {
    this.#client = client
    this.#clock = clock
  }

  /**
   * @param authorization the header of the request
   * @returns undefined where access is granted
   */
  refusalOf(authorization: string | undefined): Promise<Refusal | undefined> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return Promise.resolve(withoutToken)
    const key = createHash('sha256').update(token).digest('base64')
    const now = this.#clock.monotonic()
    const known = this.#decisions.get(key)
    if (known !== undefined && now - known.at < decisionsHoldMs) return known.refusal
    if (!this.#mayReview(key, now)) return Promise.resolve(tooMany)
    const refusal = this.#review(token, key)
    setNewest(this.#decisions, key, { refusal, at: now }, mostDecisions)
    return refusal
  }

  #mayReview(key: string, now: number): boolean {
    const granted = this.#granted.get(key)
    const isRecent = granted !== undefined && now - granted.at < grantsHoldMs
    return (isRecent && granted.reviews.take(now)) || this.#reviews.take(now)
  }

  async #review(token: string, key: string): Promise<Refusal | undefined> {
    try {
      const refusal = await this.#reviewToken(token)
      if (refusal === undefined) this.#grant(key)
      else this.#granted.delete(key)
      return refusal
    } catch (error) {
      this.#decisions.delete(key)
      return { status: 503, body: `Cannot ask the API server who this is: ${messageOf(error)}\n` }
    }
  }

  #grant(key: string): void {
    const { reviews } = this.#granted.get(key) ?? { reviews: new TokenBucket(reviewsOfGranted) }
    setNewest(this.#granted, key, { at: this.#clock.monotonic(), reviews }, mostGranted)
  }

  async #reviewToken(token: string): Promise<Refusal | undefined> {
    const signal = AbortSignal.timeout(timeoutMs)
    const { status } = await this.#client.create(TokenReview, { spec: { token } }, { signal, timeoutMs })
    if (status?.authenticated !== true || status.user === undefined) return unknownToken
    const { username, uid, groups, extra } = status.user
    const spec: SubjectAccessReviewObject['spec'] = {
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
      ...(username !== undefined && { user: username }),
      ...(uid !== undefined && { uid }),
      ...(groups !== undefined && { groups }),
      ...(extra !== undefined && { extra }),
    }
    const access = await this.#client.create(SubjectAccessReview, { spec }, { signal, timeoutMs })
    return access.status?.allowed === true ? undefined : forbidden
  }
}

const withoutToken: Refusal = {
  status: 401,
  body: 'Metrics are for those who say who they are: send "Authorization: Bearer TOKEN", with the token of a ServiceAccount.\n',
}
const unknownToken: Refusal = { status: 401, body: 'The API server does not know this token.\n' }
const forbidden: Refusal = {
  status: 403,
  body: 'The API server does not let you get /metrics: bind the ClusterRole of the readers of metrics to your account.\n',
}
const tooMany: Refusal = { status: 429, body: 'Too many tokens are shown at once; try again in a second.\n' }

/** Drops what has not been set for longest, where there are more. */
function setNewest<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
