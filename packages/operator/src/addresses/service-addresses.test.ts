import type { Cached } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import { expect, it } from 'vitest'
import { serviceAddresses } from './service-addresses.ts'

const aService = (spec: Service['spec'], ingress: object[] = []) =>
  ({
    metadata: { name: 'lb', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec,
    status: { loadBalancer: { ingress } },
  }) as unknown as Cached<Service>

it('A Service with a load balancer is reached by every address of it, with its ports', () => {
  const ports = [{ port: 80, protocol: 'TCP' }]
  const service = aService({ type: 'LoadBalancer' }, [
    { ip: '10.0.0.2', ports, ipMode: 'VIP' },
    { hostname: 'a.example' },
  ])
  expect(serviceAddresses(service)).toEqual([{ ip: '10.0.0.2', ports }, { hostname: 'a.example' }])
})

it('A Service is reached by its external IPs, whatever its type', () => {
  expect(serviceAddresses(aService({ type: 'NodePort', externalIPs: ['192.0.2.1'] }))).toEqual([
    { ip: '192.0.2.1' },
  ])
})

it('A Service of type ExternalName is reached by its name', () => {
  expect(serviceAddresses(aService({ type: 'ExternalName', externalName: 'LB.example.com.' }))).toEqual([
    { hostname: 'lb.example.com' },
  ])
  expect(serviceAddresses(aService({ type: 'ExternalName', externalName: '192.0.2.9' }))).toEqual([
    { ip: '192.0.2.9' },
  ])
})

it('A Service of type ExternalName without a name is not reached', () => {
  expect(serviceAddresses(aService({ type: 'ExternalName' }))).toEqual([])
})

it('A Service is reached by its cluster IPs only if asked for', () => {
  const service = aService({ type: 'ClusterIP', clusterIPs: ['10.96.0.1', 'fd00::1'] })
  expect(serviceAddresses(service)).toEqual([])
  expect(serviceAddresses(service, { clusterIps: true })).toEqual([{ ip: '10.96.0.1' }, { ip: 'fd00::1' }])
  expect(serviceAddresses(aService({ clusterIPs: ['None'] }), { clusterIps: true })).toEqual([])
})

it('A Service with any other address is not reached by its cluster IPs', () => {
  const service = aService({ type: 'NodePort', externalIPs: ['192.0.2.1'], clusterIPs: ['10.96.0.1'] })
  expect(serviceAddresses(service, { clusterIps: true })).toEqual([{ ip: '192.0.2.1' }])
})

it('Addresses that the status of an Ingress cannot hold are left out, and the others are published', () => {
  const ingress = [
    { ip: 'fe80::1%eth0' },
    { hostname: 'lb_1.example.com' },
    { ip: '10.0.0.2', hostname: '10.0.0.2' },
  ]
  const externalIPs = ['010.0.0.1', '192.0.2.1']
  expect(serviceAddresses(aService({ type: 'LoadBalancer', externalIPs }, ingress))).toEqual([
    { ip: '10.0.0.2' },
    { ip: '192.0.2.1' },
  ])
  expect(serviceAddresses(aService({ type: 'ExternalName', externalName: 'fe80::1%a' }))).toEqual([])
  const mapped = aService({ type: 'ClusterIP', clusterIPs: ['::ffff:10.96.0.1', 'fd00::1'] })
  expect(serviceAddresses(mapped, { clusterIps: true })).toEqual([{ ip: 'fd00::1' }])
})
