import { expect, test } from 'vitest'
import { type BalancerInput, balancerFor, defaultTiming } from './balancer.ts'
import { toHaproxy } from './haproxy.ts'
import { toNginx } from './nginx.ts'
import { memberPorts, type ServiceName } from './services.ts'

const input: BalancerInput = {
  domain: 'edge.example.com',
  apiVips: ['192.0.2.10'],
  ingressVips: ['192.0.2.11'],
  machineNetworks: ['192.0.2.0/24'],
  controlPlane: ['192.0.2.21', '192.0.2.22'],
  workers: ['192.0.2.31'],
  bootstrap: '192.0.2.20',
  subnets: [],
  isCompact: false,
  expectsWorkers: false,
  frontPortOffset: 0,
  ports: memberPorts(0),
  timing: defaultTiming,
}

const frontEnd = (service: ServiceName, changes: Partial<BalancerInput> = {}) => {
  const found = balancerFor({ ...input, ...changes }).frontEnds.find((each) => each.service === service)
  if (found === undefined) throw new Error(`there is no front end ${service}`)
  return found
}
const membersOf = (service: ServiceName, changes?: Partial<BalancerInput>) =>
  frontEnd(service, changes).members.map(({ address, port }) => `${address}:${port}`)

test('The members of a load balancer are bootstrap and control plane for the API and the machine configuration', () => {
  expect(membersOf('api')).toEqual(['192.0.2.20:6443', '192.0.2.21:6443', '192.0.2.22:6443'])
  expect(membersOf('machine-config')).toEqual(['192.0.2.20:22623', '192.0.2.21:22623', '192.0.2.22:22623'])
  expect(frontEnd('api').members.map(({ isTemporary }) => isTemporary)).toEqual([true, false, false])
})

test('The members of a load balancer are workers for ingress, and the control plane where there are none', () => {
  expect(membersOf('https')).toEqual(['192.0.2.31:443'])
  expect(membersOf('http', { workers: [] })).toEqual(['192.0.2.21:80', '192.0.2.22:80'])
})

test('The members of a load balancer have moved router ports, with the health check where routers report readiness', () => {
  const ports = memberPorts(0, { httpPort: 8080, httpsPort: 8443, statsPort: 9936 })
  expect(membersOf('https', { ports })).toEqual(['192.0.2.31:8443'])
  expect(frontEnd('http', { ports })).toMatchObject({
    port: 80,
    members: [{ port: 8080 }],
    check: { port: 9936 },
  })
})

test('The members of a load balancer are all addresses of a subnet that a machine can have, where none are known', () => {
  const subnets = ['192.0.2.8/29']
  const anywhere = { subnets, controlPlane: [], workers: [], bootstrap: undefined }
  // Without network, gateway, broadcast and the virtual IPs.
  expect(membersOf('api', anywhere)).toEqual(['192.0.2.12:6443', '192.0.2.13:6443', '192.0.2.14:6443'])
  expect(membersOf('https', anywhere)).toEqual(['192.0.2.12:443', '192.0.2.13:443', '192.0.2.14:443'])
  expect(membersOf('https', { subnets })).toEqual(['192.0.2.31:443'])
})

test.each([
  [{ subnets: ['10.0.0.0/16'] }, '--subnet 10.0.0.0/16 has 65536 addresses'],
  [{ subnets: ['2001:db8::/64'] }, '--subnet 2001:db8::/64 has 18446744073709551616 addresses'],
  [{ subnets: ['machines'] }, '--subnet machines is no network; write it as 192.0.2.0/28.'],
  [{ controlPlane: [] }, 'There is nobody to send connections to'],
  [{ workers: ['worker-0'] }, '--workers worker-0 is no IP address'],
  [{ controlPlane: ['192.0.2.21', '192.0.2.10'] }, '--control-plane 192.0.2.10 is a virtual IP'],
  [{ workers: ['192.0.2.11'] }, '--workers 192.0.2.11 is a virtual IP'],
  [{ bootstrap: '192.0.2.10' }, '--bootstrap 192.0.2.10 is a virtual IP'],
  [
    { apiVips: ['2001:db8::10'], workers: ['2001:db8:0::0:10'] },
    'it would send connections to itself; name the address of the machine.',
  ],
  [{ workers: [], expectsWorkers: true }, 'name the workers with --workers, or the subnet'],
  [{ domain: 'edge.example.com\n  evil' }, '"edge.example.com\\n  evil" is not the domain of a cluster'],
  [{ domain: 'Edge_1.example.com' }, 'correct metadata.name and baseDomain, or give --domain'],
  [{ domain: '' }, '"" is not the domain of a cluster'],
  [{ apiVips: [] }, 'There are no virtual IPs for the load balancer to listen at'],
])('The members of a load balancer are refused as %j', (changes, message) => {
  expect(() => balancerFor({ ...input, ...changes })).toThrow(message)
})

test('A subnet stands for the workers of a file, and no workers are needed where it has none', () => {
  const subnets = ['192.0.2.8/29']
  expect(membersOf('http', { workers: [], expectsWorkers: true, subnets })).toContain('192.0.2.12:80')
  expect(membersOf('http', { workers: [], isCompact: true })).toEqual(['192.0.2.21:80', '192.0.2.22:80'])
})

test('A domain is written without its last dot and in lower case', () => {
  expect(toHaproxy(balancerFor({ ...input, domain: 'Edge.Example.com.' }))).toContain(
    'hdr Host edge.example.com\n',
  )
})

test('Health checks that take a member out too late are refused', () => {
  const { intervalMs, fall, timeoutMs } = defaultTiming
  expect(intervalMs * fall + timeoutMs).toBeLessThanOrEqual(30_000)
  expect(() => balancerFor({ ...input, timing: { ...defaultTiming, intervalMs: 10_000 } })).toThrow(
    'takes up to 35 s to take a member out, and it may take 30 s; shorten --check-interval or --check-timeout.',
  )
})

test('The API has no session persistence, and only nodes get machine configuration', () => {
  expect(frontEnd('api')).toMatchObject({ staysWithMember: false, sources: undefined })
  expect(frontEnd('machine-config')).toMatchObject({ staysWithMember: false, sources: ['192.0.2.0/24'] })
  expect(frontEnd('https')).toMatchObject({ staysWithMember: true, sources: undefined })
})

test('HAProxy checks the TLS ports by TLS, and routers by HTTP on their stats port', () => {
  const text = toHaproxy(balancerFor({ ...input, apiVips: ['192.0.2.10', '2001:db8::10'] }))
  expect(text).toContain('  bind 192.0.2.10:6443\n  bind [2001:db8::10]:6443\n')
  expect(text).toContain('uri /readyz ver HTTP/1.1')
  expect(text).toContain('check port 6443 check-ssl verify none inter 5s fall 3 rise 2')
  expect(text).toContain('check port 1936 inter 5s fall 3 rise 2')
  expect(text).toContain('Remove the bootstrap machine')
})

test('The nginx configuration does not claim to have health checks', () => {
  expect(toNginx(balancerFor(input))).toContain('This nginx asks no member whether it is ready')
})
