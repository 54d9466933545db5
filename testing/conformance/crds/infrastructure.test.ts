import { beforeAll, describe, expect, test } from 'vitest'
import { testedServer } from '../api-server.ts'
import { ApiVerbs, expecting, messageOf, unique } from '../api-verbs.ts'
import { installCrds } from './installed.ts'

const kube = new ApiVerbs(testedServer())
const path = '/apis/config.openshift.io/v1/infrastructures'
const platforms = ['baremetal', 'nutanix', 'openstack', 'ovirt', 'vsphere'] as const
const vips = { apiServerInternalIPs: ['192.0.2.10'], ingressIPs: ['192.0.2.11'] }

beforeAll(() => installCrds(kube))

async function create(spec: object = {}): Promise<string> {
  const metadata = { name: unique('i') }
  const body = { apiVersion: 'config.openshift.io/v1', kind: 'Infrastructure', metadata, spec }
  await expecting(201, kube.create(path, body))
  return `${path}/${metadata.name}`
}

const report = (own: string, platformStatus: object) =>
  kube.patch('merge', `${own}/status`, { status: { platformStatus } })

const reported = async (platformStatus: object) =>
  (await expecting(200, report(await create(), platformStatus))).status['platformStatus']

describe.each(platforms)('Infrastructure on %s', (platform) => {
  test('The load balancer defaults to the one that OpenShift manages', async () => {
    expect(await reported({ [platform]: vips })).toEqual({
      [platform]: { ...vips, loadBalancer: { type: 'OpenShiftManagedDefault' } },
    })
    expect(await reported({ [platform]: { loadBalancer: {} } })).toEqual({
      [platform]: { loadBalancer: { type: 'OpenShiftManagedDefault' } },
    })
  })

  test.each([
    ['UserManaged', { loadBalancer: { type: 'OpenShiftManagedDefault' } }],
    ['OpenShiftManagedDefault', { loadBalancer: { type: 'UserManaged' } }],
    ['UserManaged', { loadBalancer: null }],
    ['UserManaged', { loadBalancer: { type: null } }],
  ])('The load balancer type %s is immutable: %j', async (type, later) => {
    const own = await create()
    const before = await expecting(200, report(own, { [platform]: { ...vips, loadBalancer: { type } } }))
    const answer = await report(own, { [platform]: later })
    expect(answer.code).toBe(422)
    expect(messageOf(answer)).toContain(
      `status.platformStatus.${platform}.loadBalancer.type: Invalid value: "${
        type === 'UserManaged' ? 'OpenShiftManagedDefault' : 'UserManaged'
      }": type is immutable once set: `,
    )
    expect(await expecting(200, kube.get(own))).toEqual(before)
  })

  test('A load balancer type that was left out at creation is immutable too', async () => {
    const own = await create()
    await expecting(200, report(own, { [platform]: vips }))
    const answer = await report(own, { [platform]: { loadBalancer: { type: 'UserManaged' } } })
    expect(messageOf(answer)).toContain('type is immutable once set')
  })

  test('A second virtual IP must be of the other family', async () => {
    const ofBoth = ['192.0.2.10', '2001:db8::10']
    expect(await reported({ [platform]: { ingressIPs: ofBoth } })).toMatchObject({
      [platform]: { ingressIPs: ofBoth },
    })
    const ofOne = await report(await create(), {
      [platform]: { ingressIPs: ['192.0.2.10', '192.0.2.11'] },
    })
    expect(ofOne.code).toBe(422)
    expect(messageOf(ofOne)).toContain(
      `status.platformStatus.${platform}.ingressIPs: Invalid value: ingressIPs must contain at most one IPv4 ` +
        'address and at most one IPv6 address',
    )
  })

  test.each<[string, object, string]>([
    [
      'a load balancer of nobody',
      { loadBalancer: { type: 'Mine' } },
      'loadBalancer.type: Unsupported value: "Mine": supported values: "OpenShiftManagedDefault", "UserManaged"',
    ],
    [
      'a virtual IP that is none',
      { apiServerInternalIPs: ['api.example.com'] },
      'apiServerInternalIPs[0]: Invalid value: "api.example.com": apiServerInternalIPs must list IP addresses, ' +
        'such as 192.0.2.10 or 2001:db8::10.',
    ],
    [
      'three virtual IPs',
      { ingressIPs: ['192.0.2.10', '2001:db8::10', '192.0.2.11'] },
      'ingressIPs: Too many: 3: must have at most 2 items',
    ],
    [
      'a machine network that is none',
      { machineNetworks: ['192.0.2.10'] },
      'machineNetworks[0]: Invalid value: "192.0.2.10": machineNetworks must list networks in CIDR notation, such ' +
        'as 192.0.2.0/24.',
    ],
    [
      'a machine network twice',
      { machineNetworks: ['192.0.2.0/24', '192.0.2.0/24'] },
      'machineNetworks: Invalid value: machineNetworks must not list a network twice; remove the repetition.',
    ],
    [
      'IPv4 within IPv6',
      { ingressIPs: ['::ffff:192.0.2.10'] },
      'ingressIPs[0]: Invalid value: "::ffff:192.0.2.10": ingressIPs must list IP addresses',
    ],
    [
      'an empty virtual IP',
      { ingressIPs: [''] },
      'ingressIPs[0]: Invalid value: "": ingressIPs must list IP addresses',
    ],
    [
      'two virtual IPs of IPv6',
      { apiServerInternalIPs: ['2001:db8::10', '2001:db8::11'] },
      'apiServerInternalIPs: Invalid value: apiServerInternalIPs must contain at most one IPv4 address and at most ' +
        'one IPv6 address; remove one of the two, or replace it by one of the other family.',
    ],
    [
      'a machine network without a text',
      { machineNetworks: [''] },
      'machineNetworks[0]: Invalid value: "": machineNetworks must list networks in CIDR notation',
    ],
    [
      'a machine network with more bits than there are',
      { machineNetworks: ['192.0.2.0/33'] },
      'machineNetworks[0]: Invalid value: "192.0.2.0/33": machineNetworks must list networks in CIDR notation',
    ],
    [
      'more machine networks than anybody has',
      { machineNetworks: Array.from({ length: 33 }, (_, i) => `10.${i}.0.0/16`) },
      'machineNetworks: Too many: 33: must have at most 32 items',
    ],
    [
      "records outside for the cluster's own load balancer",
      { dnsRecordsType: 'External' },
      'dnsRecordsType: Invalid value: dnsRecordsType can be External only if loadBalancer.type is UserManaged; ' +
        'set it to Internal or remove it.',
    ],
    [
      'records nowhere',
      { dnsRecordsType: 'None' },
      'dnsRecordsType: Unsupported value: "None": supported values: "Internal", "External"',
    ],
  ])('A status with %s is refused', async (_, status, problem) => {
    const answer = await report(await create(), { [platform]: status })
    expect(answer.code).toBe(422)
    expect(messageOf(answer)).toContain(`status.platformStatus.${platform}.${problem}`)
  })

  test('Machine networks of both families are taken, and 32 of them', async () => {
    const machineNetworks = Array.from({ length: 31 }, (_, i) => `10.${i}.0.0/16`)
    const status = { machineNetworks: ['2001:db8::/64', ...machineNetworks] }
    expect(await reported({ [platform]: status })).toMatchObject({ [platform]: status })
  })

  test('A second virtual IP comes and goes', async () => {
    const own = await create()
    await expecting(200, report(own, { [platform]: vips }))
    for (const ingressIPs of [['192.0.2.11', '2001:db8::11'], ['192.0.2.11']]) {
      const { status } = await expecting(200, report(own, { [platform]: { ingressIPs } }))
      expect(status).toMatchObject({ platformStatus: { [platform]: { ingressIPs } } })
    }
  })

  test('DNS records change from External to Internal, and back', async () => {
    const own = await create()
    const status = { loadBalancer: { type: 'UserManaged' }, dnsRecordsType: 'External' }
    await expecting(200, report(own, { [platform]: status }))
    for (const dnsRecordsType of ['Internal', null, 'External'])
      await expecting(200, report(own, { [platform]: { dnsRecordsType } }))
  })

  test('External DNS records need a load balancer of the customer', async () => {
    const status = { loadBalancer: { type: 'UserManaged' }, dnsRecordsType: 'External' }
    expect(await reported({ [platform]: status })).toEqual({ [platform]: status })
  })
})

describe.each(['baremetal', 'openstack', 'vsphere'])('The spec of %s', (platform) => {
  const changed = (own: string, spec: object) =>
    kube.patch('merge', own, { spec: { platformSpec: { [platform]: spec } } })

  test('A second virtual IP can be added and removed, but not both', async () => {
    const own = await create({ platformSpec: { [platform]: vips } })
    await expecting(200, changed(own, { ingressIPs: ['192.0.2.11', '2001:db8::11'] }))
    await expecting(200, changed(own, { ingressIPs: ['192.0.2.11'] }))
    const answer = await changed(own, { ingressIPs: null })
    expect(answer.code).toBe(422)
    expect(messageOf(answer)).toContain(
      `spec.platformSpec.${platform}: Invalid value: ingressIPs cannot be removed once set; restore the list.`,
    )
  })

  test('Virtual IPs are of two families and lie in the machine networks', async () => {
    const own = await create({ platformSpec: { [platform]: vips } })
    const answer = await changed(own, { apiServerInternalIPs: ['192.0.2.10', '192.0.2.20'] })
    expect(messageOf(answer)).toContain(
      `spec.platformSpec.${platform}.apiServerInternalIPs: Invalid value: apiServerInternalIPs must contain at most`,
    )
    const twice = await changed(own, { machineNetworks: ['192.0.2.0/24', '192.0.2.0/24'] })
    expect(messageOf(twice)).toContain(
      `spec.platformSpec.${platform}.machineNetworks: Invalid value: machineNetworks must not list a network twice`,
    )
    const none = await changed(own, { machineNetworks: ['192.0.2.10'] })
    expect(messageOf(none)).toContain(
      `spec.platformSpec.${platform}.machineNetworks[0]: Invalid value: "192.0.2.10": machineNetworks must list`,
    )
  })
})

test('An Infrastructure of OpenShift comes back unchanged', async () => {
  const spec = {
    cloudConfig: { name: 'cloud-provider-config', key: 'config' },
    platformSpec: {
      type: 'VSphere',
      vsphere: {
        ...vips,
        machineNetworks: ['192.0.2.0/24'],
        vcenters: [{ server: 'vc.example.com', port: 443, datacenters: ['dc1'] }],
        failureDomains: [{ name: 'one', server: 'vc.example.com', topology: { datacenter: 'dc1' } }],
        nodeNetworking: { external: { networkSubnetCidr: ['192.0.2.0/24'] }, internal: {} },
      },
      nutanix: { prismCentral: { address: 'prism.example.com', port: 9440 }, prismElements: [] },
    },
  }
  const status = {
    infrastructureName: 'cluster-x7k2p',
    platform: 'VSphere',
    platformStatus: {
      type: 'VSphere',
      vsphere: {
        apiServerInternalIP: '192.0.2.10',
        ingressIP: '192.0.2.11',
        ...vips,
        nodeDNSIP: '192.0.2.12',
        machineNetworks: ['192.0.2.0/24'],
        loadBalancer: { type: 'UserManaged' },
        dnsRecordsType: 'Internal',
      },
      aws: {
        region: 'eu-west-1',
        resourceTags: [{ key: 'a', value: 'b' }],
        cloudLoadBalancerConfig: { dnsType: 'PlatformDefault' },
      },
      azure: { cloudName: 'AzurePublicCloud', resourceGroupName: 'rg', armEndpoint: 'https://example.com' },
      gcp: { projectID: 'p', region: 'europe-west1', resourceLabels: [] },
      ibmcloud: { location: 'eu-de', resourceGroupName: 'rg', providerType: 'VPC', cisInstanceCRN: 'crn' },
      powervs: { region: 'eu-de', zone: 'eu-de-1', resourceGroup: 'rg' },
      kubevirt: { ingressIP: '192.0.2.13' },
    },
    apiServerURL: 'https://api.example.com:6443',
    apiServerInternalURI: 'https://api-int.example.com:6443',
    controlPlaneTopology: 'HighlyAvailable',
    infrastructureTopology: 'SingleReplica',
    cpuPartitioning: 'None',
    etcdDiscoveryDomain: '',
  }
  const own = await create(spec)
  const written = await kube.patch('merge', `${own}/status`, { status })
  expect(written).toMatchObject({ code: 200, warnings: [] })
  const found = await expecting(200, kube.get(own))
  expect({ spec: found.spec, status: found.status }).toEqual({ spec, status })
})

test('A platform that does not exist is refused', async () => {
  const answer = await report(await create(), { type: 'Mainframe' })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('status.platformStatus.type: Unsupported value: "Mainframe"')
})

test('The topology defaults to highly available', async () => {
  const own = await create()
  expect((await expecting(200, report(own, { type: 'AWS' }))).status).toEqual({
    platformStatus: { type: 'AWS' },
    controlPlaneTopology: 'HighlyAvailable',
    infrastructureTopology: 'HighlyAvailable',
  })
})
