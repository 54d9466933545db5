/** How large, how long and how rough. */
export interface EnduranceOptions {
  readonly ingresses: number
  readonly controllers: number
  readonly nodes: number
  /** Operator processes, of which one leads. */
  readonly operators: number
  readonly churnMinutes: number
  /** What users, nodes and the cloud do in a minute. */
  readonly changesPerMinute: number
  readonly apiServerRestarts: number
  readonly leaderKills: number
  readonly seed: number
  /** Node's arguments that run the operator. */
  readonly program: readonly string[]
}

/** An hour of a busy cluster, in ten minutes. */
export const fullSize: EnduranceOptions = {
  ingresses: 10_000,
  controllers: 200,
  nodes: 500,
  operators: 3,
  churnMinutes: 10,
  changesPerMinute: 600,
  apiServerRestarts: 2,
  leaderKills: 3,
  seed: 1,
  program: ['dist/portcullis.js'],
}

/** How long Ingresses keep an address that is gone: short, so that what is left of it can be judged at the end. */
export const lostAddressGraceSeconds = 30
