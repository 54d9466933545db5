import { platformNamed } from '@portcullis/operator'
import type { SandboxPlatform } from '@portcullis/sandbox'

/** A demonstration on a sandbox: command lines to paste into a shell, each with a comment. */
export interface Story {
  readonly title: string
  readonly steps: readonly Step[]
}

export interface Step {
  readonly comment: string
  readonly command: string
  /** The output matches this in the end; a command that only reads is repeated until then. */
  readonly expected: RegExp
  /** The command writes nothing, so it can be repeated. */
  readonly readsOnly?: boolean
}

/** The stories that work on a sandbox with this platform. */
export function storiesOn(platform: SandboxPlatform): Story[] {
  if (platform === 'BareMetal') return [{ ...address, steps: address.steps.slice(1) }, hostPorts]
  return [address, platformNamed(platform)?.changesScopeInPlace ? scopeInPlace : scopeByDeletion, hostPorts]
}

const operators = 'kubectl -n openshift-ingress-operator'
const routers = 'kubectl -n openshift-ingress'

const message = (name: string, condition: string) =>
  `${operators} get ingresscontroller ${name} -o jsonpath='{.status.conditions[?(@.type=="${condition}")].message}{"\\n"}'`

const hasAddress = /shop +portcullis-default +shop\.apps\.sandbox\.example +\S+ +80/

const address: Story = {
  title: 'An Ingress has the address where it is reached',
  steps: [
    {
      comment: 'Two IngressControllers are published: one to the internet, one to the private network.',
      command: `${operators} get ingresscontrollers`,
      expected:
        /default +LoadBalancerService +External .* True .*\n.*private +LoadBalancerService +Internal .* True /,
      readsOnly: true,
    },
    {
      comment: 'An Ingress selects an IngressController by its class.',
      command: `kubectl create ingress shop --class=portcullis-default --rule='shop.apps.sandbox.example/*=shop:80'`,
      expected: /created/,
    },
    {
      comment: 'It gets the address of its IngressController, where external-dns finds it.',
      command: 'kubectl get ingress shop',
      expected: hasAddress,
      readsOnly: true,
    },
  ],
}

const changeToInternal = {
  comment: 'Change the default IngressController to be reachable from the private network only.',
  command: `${operators} patch ingresscontroller default --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"scope":"Internal"}}}}'`,
  expected: /patched/,
}

const isInternal = {
  comment: 'The IngressController is Internal now, at a new address.',
  command: `${operators} get ingresscontroller default`,
  expected: /default +LoadBalancerService +Internal +\S+ +True +False/,
  readsOnly: true,
}

const addressMoved = {
  comment: 'The Ingress has the new address.',
  command: 'kubectl get ingress shop',
  expected: hasAddress,
  readsOnly: true,
}

const scopeInPlace: Story = {
  title: 'Change the scope of a live load balancer, which this cloud does in place',
  steps: [changeToInternal, isInternal, addressMoved],
}

const scopeByDeletion: Story = {
  title: 'Change the scope of a live load balancer, where this cloud needs a new one and so your consent',
  steps: [
    changeToInternal,
    {
      comment: 'Nothing is interrupted yet. The status says how to proceed, and how to revert.',
      command: message('default', 'Progressing'),
      expected: /delete svc\/router-default/,
      readsOnly: true,
    },
    {
      comment: 'The load balancer is replaced only when its Service is deleted.',
      command: `${routers} delete svc/router-default`,
      expected: /deleted/,
    },
    isInternal,
    addressMoved,
  ],
}

/** An IngressController on host ports, with a router on every node. */
const onHostPorts = (name: string) => `cat <<EOF | ${operators} apply -f -
apiVersion: operator.openshift.io/v1
kind: IngressController
metadata: { name: ${name} }
spec:
  domain: ${name}.sandbox.example
  replicas: 3
  endpointPublishingStrategy: { type: HostNetwork, hostNetwork: { httpPort: 8080, httpsPort: 8443, statsPort: 8936 } }
EOF`

const hostPorts: Story = {
  title: 'Two IngressControllers use the same host ports',
  steps: [
    {
      comment: 'One uses 8080, 8443 and 8936 on each node.',
      command: onHostPorts('edge'),
      expected: /created/,
    },
    {
      comment: 'Its routers are running.',
      command: `${routers} get pods -l ingresscontroller.operator.openshift.io/deployment-ingresscontroller=edge`,
      expected: /(router-edge-\S+ +1\/1 +Running.*\n){3}/,
      readsOnly: true,
    },
    { comment: 'Another one asks for the same ports.', command: onHostPorts('rival'), expected: /created/ },
    {
      comment: 'Its status names the conflicting ports, nodes and IngressController at once.',
      command: message('rival', 'PodsScheduled'),
      expected: /ports 8080 \(http\).* on node worker-\d are in use by/,
      readsOnly: true,
    },
    {
      comment: 'Give it ports of its own.',
      command: `${operators} patch ingresscontroller rival --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"hostNetwork":{"httpPort":9080,"httpsPort":9443,"statsPort":9936}}}}'`,
      expected: /patched/,
    },
    {
      comment: 'The conflict is resolved: its routers start, node by node.',
      command: `${routers} get pods -l ingresscontroller.operator.openshift.io/deployment-ingresscontroller=rival`,
      expected: /router-rival-\S+ +1\/1 +Running/,
      readsOnly: true,
    },
  ],
}
