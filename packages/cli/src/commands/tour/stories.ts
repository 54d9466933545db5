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
  title: 'An Ingress says where it is reached',
  steps: [
    {
      say: 'Two controllers are published: one to the internet, one to the private network.',
      run: `${operators} get ingresscontrollers`,
      shows:
        /default +LoadBalancerService +External .* True .*\n.*private +LoadBalancerService +Internal .* True /,
      looks: true,
    },
    {
      say: 'An Ingress chooses a controller by its class.',
      run: `kubectl create ingress shop --class=portcullis-default --rule='shop.apps.sandbox.example/*=shop:80'`,
      shows: /created/,
    },
    {
      say: 'It has the address of its controller as soon as there is one: external-dns and people find it here.',
      run: 'kubectl get ingress shop',
      shows: hasAddress,
      looks: true,
    },
  ],
}

const changeToInternal = {
  say: 'The default controller is to be reached from the private network only.',
  run: `${operators} patch ingresscontroller default --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"scope":"Internal"}}}}'`,
  shows: /patched/,
}

const isInternal = {
  say: 'The controller is Internal now, at a new address.',
  run: `${operators} get ingresscontroller default`,
  shows: /default +LoadBalancerService +Internal +\S+ +True +False/,
  looks: true,
}

const addressMoved = {
  say: 'And the Ingress has been told.',
  run: 'kubectl get ingress shop',
  shows: hasAddress,
  looks: true,
}

const scopeInPlace: Story = {
  title: 'The scope of a live load balancer is changed; this cloud does it in place',
  steps: [changeToInternal, isInternal, addressMoved],
}

const scopeByDeletion: Story = {
  title:
    'The scope of a live load balancer is changed; this cloud needs another load balancer, and so your word',
  steps: [
    changeToInternal,
    {
      say: 'Nothing is interrupted yet. The controller says what has to be done, and how to take it back.',
      run: message('default', 'Progressing'),
      shows: /delete svc\/router-default/,
      looks: true,
    },
    {
      say: 'The load balancer is replaced when its Service is deleted, and not before.',
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
  title: 'Two controllers want the same ports of the same nodes',
  steps: [
    { say: 'One takes 8080, 8443 and 8936 on each node.', run: onHostPorts('edge'), shows: /created/ },
    {
      say: 'Its routers run.',
      run: `${routers} get pods -l ingresscontroller.operator.openshift.io/deployment-ingresscontroller=edge`,
      shows: /(router-edge-\S+ +1\/1 +Running.*\n){3}/,
      looks: true,
    },
    { say: 'Another one wants the same.', run: onHostPorts('rival'), shows: /created/ },
    {
      say: 'It says at once what collides with what, and where.',
      run: message('rival', 'PodsScheduled'),
      shows: /ports 8080 \(http\).* on node worker-\d are in use by/,
      looks: true,
    },
    {
      say: 'On ports of its own it finds its nodes.',
      run: `${operators} patch ingresscontroller rival --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"hostNetwork":{"httpPort":9080,"httpsPort":9443,"statsPort":9936}}}}'`,
      shows: /patched/,
    },
    {
      say: 'The conflict is over: its routers start, node by node.',
      run: `${routers} get pods -l ingresscontroller.operator.openshift.io/deployment-ingresscontroller=rival`,
      shows: /router-rival-\S+ +1\/1 +Running/,
      looks: true,
    },
  ],
}
