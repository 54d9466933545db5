import { formatIp, type Ip, parseIp, sameIp } from '../ip.ts'
import type { ClusterName } from './cluster-names.ts'
import type { DnsAnswer, DnsResult } from './dns-answer.ts'

/** What is wrong with DNS, by the name that findings carry. */
export type DnsRule =
  | 'dns-silent'
  | 'dns-failed'
  | 'dns-name-missing'
  | 'dns-wildcard-missing'
  | 'dns-wrong-address'
  | 'dns-api-int-elsewhere'

export interface DnsProblem {
  readonly rule: DnsRule
  /** A warning where a cluster can do without. */
  readonly severity: 'error' | 'warning'
  readonly resolver: string
  /** Which name it is about; undefined if it is about all of them. */
  readonly name: ClusterName | undefined
  /** Which name was asked for, and of what type. */
  readonly tried: string
  readonly cameBack: string
  readonly message: string
}

/** Compares what names must lead to with what resolvers say: pure, so that it can run on any recorded answers. */
export function checkRecords(
  names: readonly ClusterName[],
  answers: readonly DnsAnswer[],
): readonly DnsProblem[] {
  const resolvers = [...new Set(answers.map(({ resolver }) => resolver))]
  return resolvers.flatMap((resolver) => {
    const said = answers.filter((answer) => answer.resolver === resolver)
    return [...checkResolver(resolver, said)] as DnsProblem[]
  })

  function* checkResolver(resolver: string, said: readonly DnsAnswer[]): Iterable<DnsProblem> {
    if (said.every(({ outcome }) => outcome.kind === 'silent' || outcome.kind === 'failed')) {
      yield noHelp(resolver, said)
      return
    }
    for (const name of names) {
      const mine = said.filter((answer) => answer.name === name.name)
      const problem = checkName(resolver, name, mine)
      if (problem !== undefined) yield problem
    }
  }

  function checkName(
    resolver: string,
    name: ClusterName,
    said: readonly DnsAnswer[],
  ): DnsProblem | undefined {
    const base = {
      severity: name.isNeeded ? 'error' : 'warning',
      resolver,
      name,
      tried: `${name.name} A and AAAA, asked of ${resolver}`,
      cameBack: said.map(({ type, outcome }) => `${type}: ${inWords(outcome)}`).join('; '),
    } as const
    const got = addressesIn(said)
    const failure = said.find(({ outcome }) => outcome.kind === 'failed' || outcome.kind === 'silent')
    if (failure !== undefined && got.length === 0) {
      const message = `${resolver} has no answer for ${name.name} (${inWords(failure.outcome)}); ask its administrator why, or use another with --resolver.`
      return { ...base, rule: 'dns-failed', severity: 'error', message }
    }
    if (got.length === 0) return missing(base, name, resolver)
    const wanted = name.wanted ?? firstOfApi(said[0]?.resolver)
    if (name.wanted === undefined && name.use !== 'api-int') return undefined
    const lacking = wanted.filter((ip) => !got.some((each) => sameIp(each, ip)))
    const surplus = got.filter((ip) => !wanted.some((each) => sameIp(each, ip)))
    if (lacking.length === 0 && surplus.length === 0) return undefined
    const difference = [
      lacking.length > 0 && `not to ${listOf(lacking)}`,
      surplus.length > 0 && `to ${listOf(surplus)}, where nothing of this cluster is expected`,
    ].filter(Boolean)
    const message = `${name.name} resolves ${difference.join(', but ')}, according to ${resolver}; set it to exactly ${listOf(wanted)}.`
    const isElsewhere = name.use === 'api-int' && leadsRight('api', resolver)
    // Wrong is worse than missing: a node's own answer may not come first.
    return {
      ...base,
      severity: 'error',
      rule: isElsewhere ? 'dns-api-int-elsewhere' : 'dns-wrong-address',
      message,
    }
  }

  /** Where no virtual IPs are known, both names of the API must lead to the same place. */
  function firstOfApi(resolver: string | undefined): readonly Ip[] {
    const api = names.find(({ use }) => use === 'api')
    return addressesIn(answers.filter((each) => each.resolver === resolver && each.name === api?.name))
  }

  function leadsRight(use: ClusterName['use'], resolver: string): boolean {
    const name = names.find((each) => each.use === use)
    const got = addressesIn(answers.filter((each) => each.resolver === resolver && each.name === name?.name))
    const { wanted = got } = name ?? {}
    return got.length === wanted.length && got.every((ip) => wanted.some((each) => sameIp(each, ip)))
  }
}

/** One that is no help for any name is one problem. */
function noHelp(resolver: string, said: readonly DnsAnswer[]): DnsProblem {
  const failure = said.find(({ outcome }) => outcome.kind === 'failed')
  const what =
    failure === undefined ? 'does not answer at all' : `answers nothing but ${inWords(failure.outcome)}`
  return {
    rule: failure === undefined ? 'dns-silent' : 'dns-failed',
    severity: 'error',
    resolver,
    name: undefined,
    tried: `all names, asked of ${resolver}`,
    cameBack: failure === undefined ? 'no answer in time' : inWords(failure.outcome),
    message: `${resolver} ${what}; check that it is a DNS server that answers clients here, or use another with --resolver.`,
  }
}

function missing(
  base: Omit<DnsProblem, 'rule' | 'message'>,
  { use, name, wanted }: ClusterName,
  resolver: string,
): DnsProblem {
  const record = use === 'apps' ? `*.${name.split('.').slice(1).join('.')}` : name
  const addresses = wanted === undefined ? 'the address of your load balancer' : listOf(wanted)
  const only = base.severity === 'warning' ? ' (nodes answer for it themselves, others may need it)' : ''
  return {
    ...base,
    rule: use === 'apps' ? 'dns-wildcard-missing' : 'dns-name-missing',
    message: `${resolver} knows no address of ${name}${only}; add a record for ${record} with ${addresses}.`,
  }
}

function addressesIn(answers: readonly DnsAnswer[]): readonly Ip[] {
  return answers.flatMap(({ outcome }) =>
    outcome.kind === 'addresses' ? outcome.addresses.flatMap((text) => parseIp(text) ?? []) : [],
  )
}

function inWords(outcome: DnsResult): string {
  switch (outcome.kind) {
    case 'addresses':
      return outcome.addresses.join(', ')
    case 'no-such-name':
      return 'no such name (NXDOMAIN)'
    case 'no-record':
      return 'no record'
    case 'silent':
      return 'no answer in time'
    case 'failed':
      return outcome.code
  }
}

function listOf(ips: readonly Ip[]): string {
  return ips.map(formatIp).join(' and ')
}
