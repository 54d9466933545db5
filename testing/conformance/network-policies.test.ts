import { beforeEach, describe, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, asTable, expecting, messageOf } from './api-verbs.ts'

const kube = new ApiVerbs(testedServer())
let path = ''
const policy = (name: string, spec: object = {}) => ({ metadata: { name }, spec })

beforeEach(async () => {
  path = `/apis/networking.k8s.io/v1/namespaces/${await kube.namespace()}/networkpolicies`
})

describe('A NetworkPolicy', () => {
  test('A NetworkPolicy without a spec is about all pods, and lets nothing in', async () => {
    const { spec, metadata } = await expecting(201, kube.create(path, { metadata: { name: 'none' } }))
    expect(spec).toEqual({ podSelector: {}, policyTypes: ['Ingress'] })
    expect(metadata['generation']).toBe(1)
  })

  test('A NetworkPolicy with rules for what goes out is about both directions unless it says otherwise', async () => {
    const egress = [{ ports: [{ port: 443 }, { port: 53, protocol: 'UDP' }, {}] }, {}]
    const { spec } = await expecting(201, kube.create(path, policy('out', { egress })))
    expect(spec).toEqual({
      podSelector: {},
      egress: [
        {
          ports: [{ protocol: 'TCP', port: 443 }, { protocol: 'UDP', port: 53 }, { protocol: 'TCP' }],
        },
        {},
      ],
      policyTypes: ['Ingress', 'Egress'],
    })
  })

  test('A NetworkPolicy keeps an empty list of rules out of its spec', async () => {
    const spec = { ingress: [], egress: [], policyTypes: ['Ingress', 'Egress'] }
    const created = await expecting(201, kube.create(path, policy('closed', spec)))
    expect(created.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
  })

  test('A NetworkPolicy is of a new generation when its spec changes, and of the same when its labels do', async () => {
    await kube.create(path, policy('changing'))
    const labels = await kube.patch('merge', `${path}/changing`, { metadata: { labels: { a: 'b' } } })
    expect(labels.body).toMatchObject({ metadata: { generation: 1 } })
    const types = { spec: { policyTypes: ['Egress'] } }
    expect((await kube.patch('merge', `${path}/changing`, types)).body).toMatchObject({
      metadata: { generation: 2 },
      spec: { policyTypes: ['Egress'] },
    })
  })

  test('A NetworkPolicy is of a new generation each time that an empty list of rules is sent', async () => {
    const body = policy('again', { ingress: [] })
    await kube.create(path, body)
    expect((await kube.replace(`${path}/again`, body)).body).toMatchObject({ metadata: { generation: 2 } })
    const absent = policy('again', { podSelector: {} })
    expect((await kube.replace(`${path}/again`, absent)).body).toMatchObject({ metadata: { generation: 2 } })
  })

  test('A NetworkPolicy is shown with the pods that it selects', async () => {
    const podSelector = { matchLabels: { app: 'web' } }
    await kube.create(path, policy('all'))
    await kube.create(path, policy('some', { podSelector }))
    const { body } = await kube.get(path, asTable)
    const { columnDefinitions, rows } = body as {
      columnDefinitions: { name: string }[]
      rows: { cells: unknown[] }[]
    }
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Pod-Selector', 'Age'])
    expect(rows.map(({ cells }) => cells.slice(0, 2))).toEqual([
      ['all', '<none>'],
      ['some', 'app=web'],
    ])
  })

  test('A NetworkPolicy is warned of when a range is not in the usual form', async () => {
    const from = [
      { ipBlock: { cidr: '2001:db8:0::/48', except: ['2001:db8:0:1::/64', '2001:DB8:0:2::/64'] } },
    ]
    const answer = await kube.create(path, policy('unusual', { ingress: [{ from }] }))
    expect(answer.code).toBe(201)
    expect(answer.warnings).toEqual(
      [
        'spec.ingress[0].from[0].ipBlock.cidr: IPv6 CIDR value "2001:db8:0::/48" should be in RFC 5952 canonical format ("2001:db8::/48")',
        'spec.ingress[0].from[0].ipBlock.except[1]: IPv6 CIDR value "2001:DB8:0:2::/64" should be in RFC 5952 canonical format ("2001:db8:0:2::/64")',
      ].map((warning) => `299 - ${JSON.stringify(warning)}`),
    )
  })
})

describe('Refused NetworkPolicies', () => {
  const ports = (port: object) => ({ ingress: [{ ports: [port] }] })
  const to = (peer: object) => ({ egress: [{ to: [peer] }] })
  test.each([
    [
      'a port of 0',
      ports({ port: 0 }),
      'spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      'a port name that is none',
      ports({ port: 'Not_Valid' }),
      'spec.ingress[0].ports[0].port: Invalid value: "Not_Valid": must contain only',
    ],
    [
      'a protocol that is none',
      ports({ protocol: 'ICMP' }),
      'spec.ingress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"',
    ],
    [
      'an end without a port',
      ports({ endPort: 90 }),
      'spec.ingress[0].ports[0].endPort: Invalid value: 90: may not be specified when `port` is not specified',
    ],
    [
      'an end of a named port',
      ports({ port: 'web', endPort: 90 }),
      'spec.ingress[0].ports[0].endPort: Invalid value: 90: may not be specified when `port` is non-numeric',
    ],
    [
      'an end before the port',
      ports({ port: 90, endPort: 80 }),
      'spec.ingress[0].ports[0].endPort: Invalid value: 90: must be greater than or equal to `port`',
    ],
    [
      'an end beyond all ports',
      ports({ port: 90, endPort: 65_536 }),
      'spec.ingress[0].ports[0].endPort: Invalid value: 65536: must be between 1 and 65535, inclusive',
    ],
    ['an empty peer', to({}), 'spec.egress[0].to[0]: Required value: must specify a peer'],
    [
      'a range beside a selector',
      to({ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }),
      'spec.egress[0].to[0]: Forbidden: may not specify both ipBlock and another peer',
    ],
    ['an empty range', to({ ipBlock: {} }), 'spec.egress[0].to[0].ipBlock.cidr: Required value'],
    [
      'a range that is none',
      to({ ipBlock: { cidr: 'x' } }),
      'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "x": must be a valid CIDR value',
    ],
    [
      'a range with more bits than its prefix',
      to({ ipBlock: { cidr: '10.0.0.1/8' } }),
      'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
    ],
    [
      'an exception outside of its range',
      to({ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }),
      'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
    ],
    [
      'an exception as large as its range',
      to({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] } }),
      'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
    ],
    [
      'an exception of the other family',
      to({ ipBlock: { cidr: '10.0.0.0/8', except: ['2001:db8::/64'] } }),
      'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "2001:db8::/64": must be a strict subset of `cidr`',
    ],
    [
      'a selector with an unknown operator',
      { podSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
      'spec.podSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
    ],
    [
      'an unknown type',
      { policyTypes: ['ingress'] },
      'spec.policyTypes[0]: Unsupported value: "ingress": supported values: "Ingress", "Egress"',
    ],
    [
      'three types',
      { policyTypes: ['Ingress', 'Egress', 'Ingress'] },
      'spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes',
    ],
  ])('A NetworkPolicy with %s is refused', async (_, spec, message) => {
    const answer = await kube.create(path, policy('bad', spec))
    expect(answer.code).toBe(422)
    expect(messageOf(answer)).toContain(message)
  })
})
