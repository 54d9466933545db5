/** Known issues of others, with the public reports. */
export const knownIssues = {
  1: 'A virtual IP outside of machineNetwork leaves the network operator Degraded (OCPBUGS-33921).',
  2: 'Until 4.15 the installer refuses a virtual IP outside of machineNetwork, or one for both (OCPBUGS-23140, OCPBUGS-23305).',
  3: 'On vSphere and Nutanix virtual IPs outside of machineNetwork were refused for a while (OCPBUGS-7015).',
  4: 'An external load balancer left kubelets without a node IP, listening on every interface.',
  5: 'A virtual IP that is not on the network of a node broke the detection of its address (OCPBUGS-32141).',
  6: 'With two default routes the node IP was a matter of chance (OCPBUGS-36859).',
  7: 'API and ingress on different subnets kept routers off nodes in 4.13 (OCPBUGS-18771).',
  8: 'On OpenStack virtual IPs were allocated although the load balancer was UserManaged (OCPBUGS-53140).',
  9: 'On OpenStack with both families, ports for the virtual IPs were expected under UserManaged.',
  10: 'On OpenStack the allocation pool was checked for virtual IPs of an external load balancer (OCPBUGS-64603).',
  11: 'The agent-based installer loses UserManaged (installer#10108).',
  12: 'Whether api-int must be in DNS is documented differently in different places (OCPBUGS-84142).',
  13: 'Published examples sent 22623 to port 6443, or had no health checks (OCPBUGS-29455, OCPBUGS-7621, OCPBUGS-30573).',
  14: 'A health check of / instead of /readyz took every member out (installer#4643).',
  15: 'Without 22623, or with api and api-int at different addresses, the control plane never comes up (okd#294, okd#249); with bootstrap left in the pool, nodes are refused their configuration (machine-config-operator#2562).',
  16: 'A redirect from 80 to 443 at the load balancer leaves ingress Degraded: its canary gets no answer (okd#529, BZ1932649).',
  17: 'Where *.apps is not reached through the load balancer, also from the nodes themselves, authentication and console stay unavailable (okd#759).',
  18: 'Virtual IPs without UserManaged let keepalived on the nodes claim the address of the load balancer (okd#1356).',
  19: 'The load balancer of a cluster cannot be moved to another address later (okd#1987).',
  20: 'Virtual IPs outside of machineNetwork are reached through the proxy, unless noProxy names them (BZ1762618).',
  21: 'Timeouts of 30 to 60 s cut off oc exec, oc logs -f and port-forward.',
  22: 'A terminating router reports not ready at once and serves for 45 s more: a TCP check notices only when it is gone.',
} as const

export type KnownIssue = keyof typeof knownIssues
