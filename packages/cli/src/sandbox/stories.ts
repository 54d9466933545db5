import { platformNamed } from '@portcullis/operator'
import type { SandboxPlatform } from '@portcullis/sandbox'

/** What somebody tries on a sandbox: lines to paste into a shell, each with what it is good for. */
export interface Story {
  readonly title: string
  readonly steps: readonly Step[]
}

export interface Step {
  readonly say: string
  readonly run: string
  /** What is to be seen in the end; a step that only looks is repeated until then. */
  readonly shows: RegExp
  /** It only looks, so it can be repeated. */
  readonly looks?: boolean
}

/** The stories that can be told where the sandbox plays this platform. */
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
      say: 'Two IngressControllers are published: one to the internet, one to the private network.',
      run: `${operators} get ingresscontrollers`,
      shows:
        /default +LoadBalancerService +External .* True .*\n.*private +LoadBalancerService +Internal .* True /,
      looks: true,
    },
    {
      say: 'An Ingress selects an IngressController by its class.',
      run: `kubectl create ingress shop --class=portcullis-default --rule='shop.apps.sandbox.example/*=shop:80'`,
      shows: /created/,
    },
    {
      say: 'It gets the address of its IngressController, where external-dns finds it.',
      run: 'kubectl get ingress shop',
      shows: hasAddress,
      looks: true,
    },
  ],
}

const changeToInternal = {
  say: 'Change the default IngressController to be reachable from the private network only.',
  run: `${operators} patch ingresscontroller default --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"scope":"Internal"}}}}'`,
  shows: /patched/,
}

const isInternal = {
  say: 'The IngressController is Internal now, at a new address.',
  run: `${operators} get ingresscontroller default`,
  shows: /default +LoadBalancerService +Internal +\S+ +True +False/,
  looks: true,
}

const addressMoved = {
  say: 'The Ingress has the new address.',
  run: 'kubectl get ingress shop',
  shows: hasAddress,
  looks: true,
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
      say: 'Nothing is interrupted yet. The status says how to proceed, and how to revert.',
      run: message('default', 'Progressing'),
      shows: /delete svc\/router-default/,
      looks: true,
    },
    {
      say: 'The load balancer is replaced only when its Service is deleted.',
      run: `${routers} delete svc/router-default`,
      shows: /deleted/,
    },
    isInternal,
    addressMoved,
  ],
}

/** A controller on ports of the nodes, with a router on every one of them. */
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
    { say: 'One uses 8080, 8443 and 8936 on each node.', run: onHostPorts('edge'), shows: /created/ },
    {
      say: 'Its routers are running.',
      run: `${routers} get pods -l ingresscontroller.operator.openshift.io/deployment-ingresscontroller=edge`,
      shows: /(router-edge-\S+ +1\/1 +Running.*\n){3}/,
      looks: true,
    },
    { say: 'Another one asks for the same ports.', run: onHostPorts('rival'), shows: /created/ },
    {
      say: 'Its status names the conflicting ports, nodes and IngressController at once.',
      run: message('rival', 'PodsScheduled'),
      shows: /ports 8080 \(http\).* on node worker-\d are in use by/,
      looks: true,
    },
    {
      say: 'Give it ports of its own.',
      run: `${operators} patch ingresscontroller rival --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"hostNetwork":{"httpPort":9080,"httpsPort":9443,"statsPort":9936}}}}'`,
      shows: /patched/,
    },
    {
      say: 'The conflict is resolved: its routers start, node by node.',
      run: `${routers} get pods -l ingresscontroller.operator.openshift.io/deployment-ingresscontroller=rival`,
      shows: /router-rival-\S+ +1\/1 +Running/,
      looks: true,
    },
  ],
}
