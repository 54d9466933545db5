import type { DnsRule } from '../dns/check-records.ts'
import type { KnownIssue } from '../known-issues.ts'

/** What a finding most likely means, and what to do about it. */
export interface Explanation {
  readonly means: string
  readonly remedy: string
  readonly known: readonly KnownIssue[]
}

export type FindingId =
  | DnsRule
  | 'front-end-closed'
  | 'front-end-silent'
  | 'somebody-else-answers'
  | 'members-not-reached'
  | 'front-end-unsteady'
  | 'wrong-backend-port'
  | 'member-missing'
  | 'bootstrap-missing'
  | 'unexpected-member'
  | 'proxy-protocol'
  | 'tls-terminated'
  | 'api-sticky'
  | 'http-redirected'
  | 'by-name-fails'
  | 'machine-config-open'
  | 'check-clear-text'
  | 'check-wrong-path'
  | 'check-tcp-only'
  | 'no-health-checks'
  | 'drop-too-slow'
  | 'hairpin-fails'
  | 'idle-cut'
  | 'bootstrap-in-pool'
  | 'node-not-listed'
  | 'router-ports-moved'

export const remedies: Readonly<Record<FindingId, Explanation>> = {
  'dns-silent': {
    means: 'The DNS server is down, or a firewall blocks it.',
    remedy: 'Open UDP and TCP port 53 to it, or name the server that machines will use with --resolver.',
    known: [],
  },
  'dns-failed': {
    means: 'The DNS server does not serve this zone to you, or cannot reach the server that does.',
    remedy: 'Ask its administrator to serve the zone to the networks of clients and machines.',
    known: [],
  },
  'dns-name-missing': {
    means: 'The record was never created, is in another zone or view, or has not reached this server.',
    remedy: 'Create the record with the virtual IPs of the API.',
    known: [12, 15],
  },
  'dns-wildcard-missing': {
    means:
      'Single names below apps may exist, but the wildcard does not: the console, OAuth and every route need it.',
    remedy: 'Create a record for *.apps with the virtual IPs of ingress.',
    known: [17],
  },
  'dns-wrong-address': {
    means:
      'The record is left over from another cluster, or points to a node or to another address of the load balancer.',
    remedy: 'Set the record to exactly the virtual IPs of the install-config; they cannot be changed later.',
    known: [19],
  },
  'dns-api-int-elsewhere': {
    means:
      'Clients will find the API but nodes will not: machines will wait for their configuration for ever.',
    remedy: 'Give api-int the same addresses as api.',
    known: [15],
  },
  'front-end-closed': {
    means:
      'Nothing listens there: the load balancer is not running, listens on another address or port, or the virtual IP is not on it.',
    remedy: 'Make it listen on exactly this address and port, and verify it there with "ss -nlt".',
    known: [15, 18],
  },
  'front-end-silent': {
    means: 'A firewall drops the packets, or no machine has the virtual IP.',
    remedy: 'Find out who has the address ("ip neigh", "arping"), and allow packets to this port.',
    known: [15],
  },
  'somebody-else-answers': {
    means:
      'Another program has the address, or the load balancer answers itself: it balances HTTP requests, not connections.',
    remedy:
      'Make it pass TCP connections through (mode tcp" in HAProxy, "stream" in nginx, "Performance (Layer 4)" in F5).',
    known: [],
  },
  'members-not-reached': {
    means:
      'The load balancer accepts connections but has no member for them: it sends them (or its health checks) to a wrong address or port, or a firewall separates it from the nodes.',
    remedy:
      'Compare addresses and ports of its members with those below, and try from the load balancer: curl -k.',
    known: [13],
  },
  'front-end-unsteady': {
    means: 'Some of its members are listed with a wrong address or port, and no health check removes them.',
    remedy: 'Compare addresses and ports of all members, and give each a health check.',
    known: [13],
  },
  'wrong-backend-port': {
    means: 'The members are listed with the port of another service.',
    remedy:
      'Send each front end to the same port of its members: 6443 to 6443, 22623 to 22623, 443 to 443, 80 to 80.',
    known: [13],
  },
  'member-missing': {
    means:
      'The load balancer does not list it, lists it with a wrong address or port, or finds it not ready.',
    remedy: 'Add it. Without it, the cluster is down when the others are.',
    known: [13],
  },
  'bootstrap-missing': {
    means:
      'An installation starts with the bootstrap machine alone: until it is a member, the installation cannot start.',
    remedy: 'Add it for the installation, and remove it afterwards.',
    known: [15],
  },
  'unexpected-member': {
    means:
      'A machine that does not run this service is listed as a member, or it is one that you did not name here.',
    remedy: 'Remove it from the members, or name it: --control-plane, --workers or --bootstrap.',
    known: [],
  },
  'proxy-protocol': {
    means: 'The load balancer sends a PROXY header before each connection, which nodes do not understand.',
    remedy:
      'Switch the PROXY protocol off (in HAProxy: no send-proxy). Routers can use it: then set it in the IngressController too.',
    known: [],
  },
  'tls-terminated': {
    means:
      'The load balancer terminates TLS with a certificate of its own: nodes will not accept it, client certificates are lost, and Ignition fails.',
    remedy:
      'Pass TLS through untouched: no certificate on the load balancer, "mode tcp" in HAProxy, "stream" in nginx.',
    known: [],
  },
  'api-sticky': {
    means:
      'Connections from one address always go to the same member ("balance source", ip_hash, persistence profile): one member gets the load of all, and clients hang with it when it hangs.',
    remedy: 'Use round robin or least connections, with no persistence, for 6443 and 22623.',
    known: [],
  },
  'http-redirected': {
    means: 'The load balancer redirects to HTTPS itself. Routers must do that: the ingress canary uses HTTP.',
    remedy: 'Remove the redirect, and pass port 80 through to port 80 of the routers.',
    known: [16],
  },
  'by-name-fails': {
    means: 'The load balancer inspects the name in TLS or HTTP and serves some names only.',
    remedy:
      'Make it pass all names through: routes are created later, and their names are not known beforehand.',
    known: [17],
  },
  'machine-config-open': {
    means:
      'Anyone who reaches this port can fetch the configuration of a node, with the secrets to join the cluster.',
    remedy: 'Allow only the networks of nodes to connect to port 22623.',
    known: [],
  },
  'check-clear-text': {
    means: 'The health check uses HTTP on a TLS port, and takes the error for a failure.',
    remedy:
      'Make it use TLS without verification: "check-ssl verify none" in HAProxy, an HTTPS monitor elsewhere.',
    known: [13],
  },
  'check-wrong-path': {
    means: 'The requested path does not show whether the member is ready.',
    remedy:
      'Request /readyz on 6443, /healthz on 22623, and /healthz/ready on the stats port of routers (1936).',
    known: [14],
  },
  'check-tcp-only': {
    means:
      'The health check only sees that the port is open. A node that shuts down still has it open, and drops requests.',
    remedy: 'Request /readyz on 6443 (TLS), /healthz on 22623 (TLS), and /healthz/ready on 1936 (HTTP).',
    known: [13, 22],
  },
  'no-health-checks': {
    means:
      'The load balancer never asks whether a member is ready: it has no health check, or only a TCP check. A node that drains loses the requests sent to it.',
    remedy:
      'Configure health checks. nginx has none unless it is NGINX Plus: to accept that, use --accept no-health-checks.',
    known: [13, 22],
  },
  'drop-too-slow': {
    means: 'The health check runs too seldom, needs too many failures, or waits too long for a response.',
    remedy:
      'Keep interval × failures + timeout below the limit: every 5 s, 3 failures to remove a member, 2 successes to add it.',
    known: [22],
  },
  'hairpin-fails': {
    means:
      'A node cannot reach the virtual IP when the load balancer would send it back to that node (no source NAT on the way), or nodes may not use the load balancer at all.',
    remedy: 'Make the load balancer replace the source address (SNAT), and allow the networks of nodes.',
    known: [17],
  },
  'idle-cut': {
    means: 'A timeout of the load balancer, or of a firewall in front of it, closes idle connections.',
    remedy: 'Allow an hour: "timeout tunnel 1h" in HAProxy, "proxy_timeout 1h" in nginx.',
    known: [21],
  },
  'bootstrap-in-pool': {
    means:
      'A machine that is not a node of the cluster answers for the API: nearly always the bootstrap machine.',
    remedy: 'Remove the bootstrap machine from 6443 and 22623, and switch it off.',
    known: [15],
  },
  'node-not-listed': {
    means: 'The node was added, or a router moved to it, after the load balancer was configured.',
    remedy: 'Add it to the members; list every node that may run a router.',
    known: [13, 17],
  },
  'router-ports-moved': {
    means:
      'Routers listen on other ports (spec.endpointPublishingStrategy.hostNetwork), and the load balancer still uses the old ones.',
    remedy: 'Set members and health check to the ports below.',
    known: [],
  },
}
