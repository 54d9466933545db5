import { setTimeout as delay } from 'node:timers/promises'
import { identityCertificate } from '@portcullis/onprem/internal/fake-backends/identity-certificate.ts'
import { beforeAll, describe, expect, type TestContext, test, vi } from 'vitest'
import { coredns } from './install-programs.ts'
import { type PreflightResult, Site } from './site.ts'

// Each has five nodes, a load balancer and a DNS server of its own.
vi.setConfig({ maxConcurrency: 4 })

// The first time it has to be built, for which a test has no time.
beforeAll(async () => void (await coredns()), 600_000)

/** The text with a part replaced that must be in it. */
function edit(text: string, part: string | RegExp, replacement: string): string {
  const edited = text.replace(part, replacement)
  if (edited === text) throw new Error(`There is no ${part} in:\n${text}`)
  return edited
}

/** In one section of a haproxy.cfg, as `backend api`. */
function editSection(text: string, section: string, part: string | RegExp, replacement: string): string {
  const start = text.indexOf(`\n${section}\n`) + 1
  const end = text.indexOf('\n\n', start) < 0 ? text.length : text.indexOf('\n\n', start)
  return text.slice(0, start) + edit(text.slice(start, end), part, replacement) + text.slice(end)
}

async function openSite({ onTestFinished }: TestContext): Promise<Site> {
  const opened = await Site.open()
  onTestFinished(() => opened.close())
  return opened
}

function explain({ results, stderr }: PreflightResult): string {
  return (
    stderr +
    JSON.stringify(
      results.filter(({ status }) => status !== 'passed'),
      null,
      1,
    )
  )
}

describe.concurrent('Correct load balancers', () => {
  test('HAProxy as the command configures it passes the preflight', async (context) => {
    const site = await openSite(context)
    await site.run({ haproxy: await site.configuration('haproxy') })
    const result = await site.preflight()
    expect(result.found, explain(result)).toEqual([])
    expect(result.code).toBe(0)
    const measured = result.results.find(({ check }) => check === 'health-check api')
    expect(measured?.note).toMatch(
      /removed after .* s, added again after .* s; the health check requests \/readyz over TLS/,
    )
  })

  test('HAProxy that closes machine configuration to the outside passes the preflight', async (context) => {
    const site = await openSite(context)
    await site.run({ haproxy: await site.configuration('haproxy') })
    const result = await site.preflight('--vantage', 'outside', '--source', '127.0.0.1')
    expect(result.found, explain(result)).toEqual([])
  })

  test.for([0, 1])('HAProxy that finds router %i late passes the preflight', async (late, context) => {
    const site = await openSite(context)
    const worker = site.workers[late] ?? ''
    await site.run({ haproxy: await site.configuration('haproxy') })
    await site.setRouterReady(worker, false)
    await delay(3000)
    const comesAfterAll = delay(1500).then(() => site.setRouterReady(worker, true))
    const result = await site.preflight('--idle', '4s')
    await comesAfterAll
    expect(result.found, explain(result)).toEqual([])
  })

  test('nginx as the command configures it passes, but for the health checks that it lacks', async (context) => {
    const site = await openSite(context)
    await site.run({ nginx: await site.configuration('nginx') })
    const result = await site.preflight('--accept', 'no-health-checks')
    expect([...new Set(result.found)], explain(result)).toEqual([
      'no-health-checks in health-check api',
      'no-health-checks in health-check machine-config',
      'no-health-checks in health-check router',
    ])
    expect(result.code).toBe(0)
  })
})

type Mistake = {
  readonly what: string
  /** What is done to the right configuration of HAProxy. */
  readonly haproxy?: (right: string, site: Site) => string | Promise<string>
  readonly dns?: (right: Record<string, string>, site: Site) => Record<string, string>
  readonly args?: (site: Site) => readonly string[]
  readonly found: readonly string[]
}

const mistakes: readonly Mistake[] = [
  {
    what: 'a wrong port of the members',
    haproxy: (right) => editSection(right, 'backend api', /16443/g, '16444'),
    found: ['members-not-reached in reach api'],
  },
  {
    what: 'machine configuration that leads to the API',
    haproxy: (right) => editSection(right, 'backend machine-config', /(server \S+ \S+):32623/g, '$1:16443'),
    found: ['wrong-backend-port in reach machine-config'],
  },
  {
    what: 'a health check in clear text on a TLS port',
    haproxy: (right) => editSection(right, 'backend api', 'check-ssl verify none ', ''),
    found: ['check-clear-text in reach api'],
  },
  {
    what: 'a health check of /',
    haproxy: (right) => editSection(right, 'backend api', 'uri /readyz', 'uri /'),
    found: ['check-wrong-path in reach api'],
  },
  {
    what: 'a health check of what a router says as long as it lives',
    haproxy: (right) => right.replaceAll('uri /healthz/ready', 'uri /healthz'),
    found: ['check-wrong-path in health-check router'],
  },
  {
    what: 'a health check of TLS alone',
    haproxy: (right) => editSection(right, 'backend api', / {2}(option httpchk|http-check .*)\n/g, ''),
    found: ['check-tcp-only in health-check api'],
  },
  {
    what: 'a health check of the open port alone, of which a member does not even hear',
    haproxy: (right) =>
      ['backend https', 'backend http'].reduce((text, section) => {
        const bare = editSection(text, section, / {2}(option httpchk|http-check .*)\n/g, '')
        return editSection(bare, section, 'check port 11936', 'check')
      }, right),
    found: ['no-health-checks in health-check router'],
  },
  {
    what: 'no health check',
    haproxy: (right) => editSection(right, 'backend machine-config', / {2}default-server .*\n/, ''),
    found: ['no-health-checks in health-check machine-config'],
  },
  {
    what: 'no health check of routers for HTTP alone',
    haproxy: (right) => editSection(right, 'backend http', / {2}default-server .*\n/, ''),
    found: ['no-health-checks in health-check router'],
  },
  {
    what: 'a health check that asks too seldom',
    haproxy: (right) => editSection(right, 'backend api', 'inter 500ms fall 3', 'inter 3s fall 3'),
    found: ['drop-too-slow in health-check api'],
  },
  {
    what: 'readiness of routers asked for on another port',
    haproxy: (right) => right.replaceAll('port 11936', 'port 11937'),
    found: ['members-not-reached in reach https', 'members-not-reached in reach http'],
  },
  {
    what: 'a redirect from 80 to 443',
    haproxy: (right) =>
      editSection(
        right,
        'frontend http',
        '  default_backend http',
        '  mode http\n  http-request redirect scheme https',
      ),
    found: ['http-redirected in redirect http'],
  },
  {
    what: 'TLS that ends at the load balancer',
    haproxy: async (right, site) => {
      const { certificate, key } = await identityCertificate('192.0.2.1', Date.now())
      const file = await site.write('balancer.pem', `${certificate}\n${key}\n`)
      const ended = editSection(right, 'frontend https', /bind (\S+)/, `bind $1 ssl crt ${file}`)
      return editSection(ended, 'backend https', /( {2}server \S+ \S+)/g, '$1 ssl verify none')
    },
    found: ['tls-terminated in tls https'],
  },
  {
    what: 'an API that sticks',
    haproxy: (right) => editSection(right, 'backend api', 'balance roundrobin', 'balance source'),
    found: ['api-sticky in persistence api'],
  },
  {
    what: 'a member of the control plane that is missing',
    haproxy: (right) => editSection(right, 'backend api', / {2}server control-plane-1 .*/, ''),
    found: ['member-missing in reach api'],
  },
  {
    what: 'a worker that is missing',
    haproxy: (right) =>
      editSection(
        editSection(right, 'backend https', /\n {2}server worker-1 .*/, ''),
        'backend http',
        /\n {2}server worker-1 .*/,
        '',
      ),
    found: ['member-missing in reach https', 'member-missing in reach http'],
  },
  {
    what: 'a worker that is missing for HTTP alone',
    haproxy: (right) => editSection(right, 'backend http', /\n {2}server worker-1 .*/, ''),
    found: ['member-missing in reach http'],
  },
  {
    what: 'a wrong port of one worker, for HTTP alone',
    haproxy: (right) =>
      editSection(
        editSection(
          edit(right, '  option redispatch\n  retries 3\n', '  retries 0\n'),
          'backend http',
          'balance source',
          'balance roundrobin',
        ),
        'backend http',
        /(server worker-1 \S+):10080/,
        '$1:10081',
      ),
    found: ['front-end-unsteady in reach http'],
  },
  {
    what: 'a bootstrap machine that is missing',
    haproxy: (right) => right.replaceAll(/ {2}server bootstrap .*\n/g, ''),
    found: ['bootstrap-missing in reach api', 'bootstrap-missing in reach machine-config'],
  },
  {
    what: 'a worker among the members of the API',
    haproxy: (right, { workers: [worker] }) =>
      editSection(right, 'backend api', /$/, `\n  server odd ${worker}:16443`),
    found: ['unexpected-member in reach api'],
  },
  {
    what: 'the PROXY protocol',
    haproxy: (right) => editSection(right, 'backend api', 'default-server', 'default-server send-proxy'),
    found: ['proxy-protocol in reach api'],
  },
  {
    what: 'another virtual IP than in the install-config',
    haproxy: (right, { api, network }) => right.replaceAll(`bind ${api}:`, `bind ${network.address(99)}:`),
    found: ['front-end-closed in reach api', 'front-end-closed in reach machine-config'],
  },
  {
    what: 'no front end for machine configuration',
    haproxy: (right) => edit(right, ':32623', ':32624'),
    found: ['front-end-closed in reach machine-config'],
  },
  {
    what: 'machine configuration for everybody',
    haproxy: (right) => edit(right, / {2}tcp-request connection reject .*\n/, ''),
    args: () => ['--vantage', 'outside', '--source', '127.0.0.1'],
    found: ['machine-config-open in outside machine-config'],
  },
  {
    what: 'a time-out for silent connections',
    haproxy: (right) =>
      edit(
        edit(right, 'timeout tunnel 1h', 'timeout tunnel 800ms'),
        'timeout client 1m',
        'timeout client 800ms',
      ),
    found: ['idle-cut in idle api', 'idle-cut in idle https'],
  },
  {
    what: 'a node that does not reach the virtual IP',
    haproxy: (right, { controlPlane: [node] }) =>
      editSection(
        right,
        'frontend api',
        '  default_backend',
        `  tcp-request connection reject if { src ${node} }\n  default_backend`,
      ),
    found: ['hairpin-fails in hairpin'],
  },
  {
    what: 'names that a load balancer picks',
    haproxy: (right) =>
      editSection(
        right,
        'frontend https',
        '  default_backend',
        '  tcp-request inspect-delay 1s\n  tcp-request content reject if { req.ssl_sni -m end .apps.edge.example.com }\n  tcp-request content accept if { req.ssl_hello_type 1 }\n  default_backend',
      ),
    found: ['by-name-fails in by name'],
  },
  {
    what: 'a name that does not resolve',
    dns: ({ 'api.edge.example.com': _name, ...others }) => others,
    found: ['dns-name-missing in names'],
  },
  {
    what: 'no wildcard',
    dns: ({ '*.apps.edge.example.com': ip = '', ...others }) => ({
      ...others,
      'console-openshift-console.apps.edge.example.com': ip,
    }),
    found: ['dns-wildcard-missing in names'],
  },
  {
    what: 'a name that leads to a node',
    dns: (right, { workers: [worker = ''] }) => ({ ...right, '*.apps.edge.example.com': worker }),
    found: ['dns-wrong-address in names'],
  },
  {
    what: 'api and api-int at different addresses',
    dns: (right, { network }) => ({ ...right, 'api-int.edge.example.com': network.address(99) }),
    found: ['dns-api-int-elsewhere in names'],
  },
  {
    what: 'a second DNS server that is not there',
    args: ({ resolver }) => ['--resolver', resolver.replace(':5353', ':5354')],
    found: ['dns-failed in names'],
  },
]

describe.concurrent('Single mistakes', () => {
  test('The preflight finds an API with sticky clients on nginx, and nothing else', async (context) => {
    const site = await openSite(context)
    const right = await site.configuration('nginx')
    await site.run({ nginx: edit(right, 'zone api 256k;', 'zone api 256k; hash $remote_addr;') })
    const result = await site.preflight('--accept', 'no-health-checks')
    const failed = result.results.filter(({ status }) => status === 'failed').map(({ check }) => check)
    expect(failed, explain(result)).toEqual(['persistence api'])
  })

  test.for(mistakes)(
    'The preflight finds one mistake, and nothing else: $what',
    async ({ haproxy = (right) => right, dns, args, found }, context) => {
      const site = await openSite(context)
      const right = await site.configuration('haproxy')
      await site.run({
        haproxy: await haproxy(right, site),
        ...(dns && { dns: dns(site.records(), site) }),
      })
      const result = await site.preflight(...(args?.(site) ?? []))
      expect(result.found, explain(result)).toEqual(found)
      expect(result.code).toBe(1)
      for (const { tried, cameBack, means, remedy } of result.results.flatMap(({ findings }) => findings))
        expect([tried, cameBack, means, remedy]).not.toContain('')
    },
  )
})
