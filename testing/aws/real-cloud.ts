import { loadBalancerName } from '@portcullis/sandbox/internal/controllers/cloud/addresses.ts'
import { expect } from 'vitest'
import type { Account } from '../clusters/aws/account.ts'
import { AwsApi } from '../clusters/aws/aws-api.ts'
import type { AwsCoordinates } from '../clusters/aws/aws-cluster.ts'
import { CloudControl } from '../clusters/aws/cloud-control.ts'
import { applies, type CloudFault } from '../clusters/aws/cloud-faults.ts'
import {
  describeLoadBalancers,
  describeSecurityGroups,
  describeTargetGroups,
  type IngressRule,
  type LoadBalancer,
  type SecurityGroup,
} from '../clusters/aws/describe-resources.ts'
import { eventually } from '../clusters/eventually.ts'
import type { Router } from '../e2e/router.ts'
import type { Claim, Cloud } from './cloud.ts'

/** AWS as moto plays it, asked directly: neither annotations nor status are believed. */
export class RealCloud implements Cloud {
  readonly api: AwsApi
  readonly #aws: AwsCoordinates
  readonly #control: CloudControl
  /** Of the Services of this story. */
  readonly #namespace: string
  readonly #faults = new Set<string>()
  /** Names of load balancers. */
  readonly #seen = new Set<string>()

  constructor(aws: AwsCoordinates, namespace: string) {
    this.api = new AwsApi(aws.emulator)
    this.#aws = aws
    this.#control = new CloudControl(aws.control)
    this.#namespace = namespace
  }

  get account(): Account {
    return this.#aws.account
  }

  async loadBalancer(router: Router): Promise<LoadBalancer | undefined> {
    const { namespace, name } = router.operandRef
    const [ours, ...more] = await eventually(() => describeLoadBalancers(this.api, `${namespace}/${name}`))
    expect(more, 'load balancers of one Service').toEqual([])
    if (ours !== undefined) this.#seen.add(ours.name)
    return ours
  }

  async has(router: Router, { subnets, sourceRanges, targets, ...claim }: Claim): Promise<void> {
    const { account } = this.#aws
    await eventually(async () => {
      const found = await this.loadBalancer(router)
      if (found === undefined) throw new Error(`There is no load balancer of ${router.name}.`)
      expect(found).toMatchObject(claim)
      if (subnets !== undefined) {
        expect([...found.subnets].sort()).toEqual([...account.subnets[subnets]].sort())
      }
      if (sourceRanges !== undefined) {
        expect(await this.#letsIn(found)).toEqual([...sourceRanges].sort())
      }
      if (targets !== undefined) {
        const all = account.instances.map(({ id }) => id).sort()
        expect([...found.targets].sort()).toEqual(targets === 'all' ? all : [])
      }
    })
  }

  /** What the cloud controller manager has asked of AWS about a router's load balancer so far. */
  async callsAbout(router: Router): Promise<readonly string[]> {
    const { uid } = (await router.service()).metadata
    const rule = { about: loadBalancerName(uid) }
    return (await this.#control.calls()).filter((call) => applies(rule, call)).map(({ action }) => action)
  }

  /** A classic load balancer has a security group of its own; a network load balancer's clients come to the nodes. */
  async #letsIn({ type, name, securityGroups }: LoadBalancer): Promise<string[]> {
    const groups = await describeSecurityGroups(this.api, this.#aws.account.vpc)
    const rules =
      type === 'NLB'
        ? clientRules(groups, name)
        : groups
            .filter(({ id }) => securityGroups.includes(id))
            .flatMap(({ ingress }) => ingress.filter(({ protocol }) => protocol === 'tcp'))
    return [...new Set(rules.flatMap(({ ranges }) => ranges))].sort()
  }

  async fails(fault: CloudFault, action: string, router: Router): Promise<void> {
    const { namespace, name } = router.operandRef
    const uid = await router.service().then(
      ({ metadata }) => metadata.uid,
      () => undefined,
    )
    // A call to create one says for which Service; all others name the load balancer.
    const about =
      uid === undefined || action === 'CreateLoadBalancer' ? `${namespace}/${name}` : loadBalancerName(uid)
    await this.failsForAll(fault, action, about)
  }

  /** @param about what the call must be about; every call of this action unless given */
  async failsForAll(fault: CloudFault, action: string, about?: string): Promise<void> {
    const rule = `${this.#namespace} ${action}`
    this.#faults.add(rule)
    await this.#control.inject(rule, { fault, action, ...(about !== undefined && { about }) })
  }

  async repair(): Promise<void> {
    for (const rule of this.#faults) await this.#control.lift(rule)
    this.#faults.clear()
  }

  async leftBehind(): Promise<readonly string[]> {
    const isOurs = ({ service }: { readonly service: string }) => service.startsWith(`${this.#namespace}/`)
    const loadBalancers = (await describeLoadBalancers(this.api)).filter(isOurs)
    const targetGroups = (await describeTargetGroups(this.api)).filter(isOurs)
    const allGroups = await describeSecurityGroups(this.api, this.#aws.account.vpc)
    const securityGroups = allGroups.filter(({ description }) => description.includes(`(${this.#namespace}/`))
    const rules = [...this.#seen].flatMap((name) => clientRules(allGroups, name))
    return [
      ...loadBalancers.map(({ name, service }) => `load balancer ${name} of ${service}`),
      ...targetGroups.map(({ name, service }) => `target group ${name} of ${service}`),
      ...securityGroups.map(({ name, description }) => `security group ${name}: ${description}`),
      ...rules.map(({ port, description }) => `rule for port ${port} of the nodes: ${description}`),
    ]
  }
}

/** Rules by which clients of a network load balancer reach the nodes. */
function clientRules(groups: readonly SecurityGroup[], loadBalancer: string): readonly IngressRule[] {
  return groups.flatMap(({ ingress }) =>
    ingress.filter(({ description }) => description.endsWith(`/client=${loadBalancer}`)),
  )
}
