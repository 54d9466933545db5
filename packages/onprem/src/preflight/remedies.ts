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
    means: 'The DNS server is down, or a firewall is between.',
    remedy: 'Open UDP and TCP port 53 to it, or name the server that machines will use with --resolver.',
    known: [],
  },
  'dns-failed': {
    means: 'The DNS server does not serve this zone to you, or cannot reach the server that does.',
    remedy: 'Ask its administrator to serve the zone to the networks of clients and machines.',
    known: [],
  },
  'dns-name-missing': {
    means: 'The record was never made, is in another zone or view, or has not reached this server.',
    remedy: 'Make the record, with the virtual IPs of the API.',
    known: [12, 15],
  },
  'dns-wildcard-missing': {
    means:
      'Single names under apps may be there, the wildcard is not: the console, OAuth and every route need it.',
    remedy: 'Make a record for *.apps, with the virtual IPs of ingress.',
    known: [17],
  },
  'dns-wrong-address': {
    means:
      'The record is left over from another cluster, or names a node or the load balancer by another address.',
    remedy:
      'Let the record have exactly the virtual IPs of the install-config; they cannot be changed later.',
    known: [19],
  },
  'dns-api-int-elsewhere': {
    means: 'Clients will find the API and nodes will not: machines wait for their configuration for ever.',
    remedy: 'Give api-int the same addresses as api.',
    known: [15],
  },
  'front-end-closed': {
    means:
      'Nothing listens there: the load balancer does not run, listens at another address or port, or the virtual IP is not on it.',
    remedy: 'Let it listen at exactly this address and port, and see with "ss -nlt" on it that it does.',
    known: [15, 18],
  },
  'front-end-silent': {
    means: 'A firewall drops the packets, or the virtual IP is on no machine.',
    remedy: 'Find out who has the address ("ip neigh", "arping"), and let packets to this port through.',
    known: [15],
  },
  'somebody-else-answers': {
    means:
      'Another program has the address, or the load balancer answers by itself: it works on HTTP and not on connections.',
    remedy:
      'Let it pass connections through as they are ("mode tcp" in HAProxy, "stream" in nginx, "Performance (Layer 4)" in F5).',
    known: [],
  },
  'members-not-reached': {
    means:
      'The load balancer takes connections and has nobody to give them to: it sends them (or its health checks) to a wrong address or port, or a firewall is between it and the nodes.',
    remedy:
      'Compare addresses and ports of its members with those below, and try from the load balancer: curl -k.',
    known: [13],
  },
  'front-end-unsteady': {
    means: 'Some of its members are listed with a wrong address or port, and no health check takes them out.',
    remedy: 'Compare addresses and ports of all members, and give each a health check.',
    known: [13],
  },
  'wrong-backend-port': {
    means: 'The port of the members is that of another service.',
    remedy:
      'Let each front end lead to the same port of its members: 6443 to 6443, 22623 to 22623, 443 to 443, 80 to 80.',
    known: [13],
  },
  'member-missing': {
    means:
      'The load balancer does not list it, lists it with a wrong address or port, or finds it not ready.',
    remedy: 'Add it. Without it, the cluster is down when the others are.',
    known: [13],
  },
  'bootstrap-missing': {
    means: 'An installation begins with the bootstrap machine alone: until it is listed, nothing can begin.',
    remedy: 'Add it for the time of the installation, and remove it afterwards.',
    known: [15],
  },
  'unexpected-member': {
    means:
      'A machine that does not run this service is listed as a member, or it is one that you did not name here.',
    remedy: 'Remove it from the members, or name it: --control-plane, --workers or --bootstrap.',
    known: [],
  },
  'proxy-protocol': {
    means: 'The load balancer puts a PROXY header before each connection, which nodes do not understand.',
    remedy:
      'Switch the PROXY protocol off (in HAProxy: no send-proxy). For routers it can be wanted: then set it in the IngressController too.',
    known: [],
  },
  'tls-terminated': {
    means:
      'The load balancer ends TLS and shows a certificate of its own: nodes will not accept it, client certificates are lost, and Ignition fails.',
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
    means:
      'The load balancer redirects to HTTPS by itself. Routers must do that: the ingress canary asks by HTTP.',
    remedy: 'Remove the redirect, and pass port 80 through to port 80 of the routers.',
    known: [16],
  },
  'by-name-fails': {
    means: 'The load balancer looks at the name in TLS or HTTP and serves some names only.',
    remedy: 'Let it pass all names through: routes are made later, and their names are not known beforehand.',
    known: [17],
  },
  'machine-config-open': {
    means:
      'Whoever reaches this port can fetch the configuration of a node, with the secrets to join the cluster.',
    remedy: 'Let only the networks of nodes connect to port 22623.',
    known: [],
  },
  'check-clear-text': {
    means: 'The health check speaks HTTP on a port where TLS is spoken, and takes the refusal for a failure.',
    remedy:
      'Let it speak TLS without verifying: "check-ssl verify none" in HAProxy, an HTTPS monitor elsewhere.',
    known: [13],
  },
  'check-wrong-path': {
    means: 'What is asked does not tell whether the member is ready.',
    remedy:
      'Ask for /readyz on 6443, /healthz on 22623, and /healthz/ready on the stats port of routers (1936).',
    known: [14],
  },
  'check-tcp-only': {
    means:
      'The health check sees that somebody is at the port. A node that is about to leave still is, and drops what comes.',
    remedy:
      'Ask for /readyz on 6443 (by TLS), /healthz on 22623 (by TLS), and /healthz/ready on 1936 (by HTTP).',
    known: [13, 22],
  },
  'no-health-checks': {
    means:
      'The load balancer never asks whether a member is ready: it has no health check, or one that only looks whether the port is open. A node that drains loses the requests sent to it.',
    remedy:
      'Give it health checks. nginx has none unless it is NGINX Plus: if you accept that, say --accept no-health-checks.',
    known: [13, 22],
  },
  'drop-too-slow': {
    means: 'The health check asks too seldom, needs too many failures, or waits too long for an answer.',
    remedy:
      'Keep interval × failures + time-out below the limit: every 5 s, 3 failures to drop, 2 successes to take back.',
    known: [22],
  },
  'hairpin-fails': {
    means:
      'A node cannot reach the virtual IP when the load balancer would send it back to that node (no source NAT on the way), or nodes may not use the load balancer at all.',
    remedy: 'Let the load balancer replace the source address (SNAT), and let the networks of nodes in.',
    known: [17],
  },
  'idle-cut': {
    means:
      'A time-out of the load balancer, or of a firewall before it, ends connections on which nothing is said.',
    remedy: 'Allow an hour: "timeout tunnel 1h" in HAProxy, "proxy_timeout 1h" in nginx.',
    known: [21],
  },
  'bootstrap-in-pool': {
    means: 'Somebody answers for the API who is no node of the cluster: nearly always the bootstrap machine.',
    remedy: 'Remove the bootstrap machine from 6443 and 22623, and switch it off.',
    known: [15],
  },
  'node-not-listed': {
    means: 'The node came, or its router moved to it, after the load balancer was set up.',
    remedy: 'Add it to the members; list every node that a router may run on.',
    known: [13, 17],
  },
  'router-ports-moved': {
    means:
      'Routers listen on other ports (spec.endpointPublishingStrategy.hostNetwork), and the load balancer still uses the old ones.',
    remedy: 'Let members and health check have the ports below.',
    known: [],
  },
}
