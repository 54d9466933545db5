/** Why an expression may stay that the checker finds slow, cannot judge in its time, or that is put together at run time. */
export interface Allowed {
  readonly file: string
  /** How the expression begins in the code. */
  readonly begins: string
  readonly reason: string
}

const tour =
  'reads what kubectl prints about the sandbox of the same process, a few lines; nobody else writes there'
const sandboxOnly =
  'the sandbox is for whoever started it, and in no image of the operator; it reads one field of a request'

export const allowed: readonly Allowed[] = [
  {
    file: 'packages/cli/src/io/colours.ts',
    begins: 'new RegExp(`(\\u001b',
    reason: 'put together of our own list of numbers; no repetition in it',
  },
  {
    file: 'packages/onprem/src/ip.ts',
    begins: 'new RegExp(`^(|.*?:)',
    reason: 'reads eight groups of hexadecimal digits that the line before it wrote',
  },
  {
    file: 'packages/operator/src/ingress/conditions/container-failures.ts',
    begins: 'new RegExp(`:${port}',
    reason: 'a number and no repetition; what it reads is cut to 2 kB',
  },
  {
    file: 'packages/kube/src/config/pem.ts',
    begins: '/-----BEGIN CERTIFICATE-----[^-]*',
    reason:
      'the checker runs out of time; each character is passed once: the repetition ends at the next dash, with which alone a match begins',
  },
  { file: 'packages/cli/src/sandbox/stories.ts', begins: '/shop +portcullis-default', reason: tour },
  {
    file: 'packages/cli/src/sandbox/stories.ts',
    begins: '/default +LoadBalancerService +External',
    reason: tour,
  },
  {
    file: 'packages/cli/src/sandbox/stories.ts',
    begins: '/default +LoadBalancerService +Internal',
    reason: tour,
  },
  { file: 'packages/cli/src/sandbox/stories.ts', begins: '/(router-edge-', reason: tour },
  { file: 'packages/cli/src/sandbox/stories.ts', begins: '/ports 8080 ', reason: tour },
  { file: 'packages/cli/src/sandbox/stories.ts', begins: '/router-rival-', reason: tour },
  { file: 'packages/sandbox/src/crd/json-path.ts', begins: '/\\.(?<field>', reason: sandboxOnly },
  { file: 'packages/schema/src/names.ts', begins: 'new RegExp(`^(?:${expression})$`)', reason: sandboxOnly },
  {
    file: 'packages/sandbox/src/openapi/descriptions.ts',
    begins: '/\\/\\*\\*([\\s\\S]*?)',
    reason: 'reads the declarations of a package that we depend on',
  },
  { file: 'packages/schema/src/formats.ts', begins: 'new RegExp(`^[-+]?(?:', reason: sandboxOnly },
  { file: 'packages/schema/src/formats.ts', begins: '/(\\d+)\\s*(?:ns|nano', reason: sandboxOnly },
  { file: 'packages/schema/src/formats.ts', begins: 'new RegExp(\n', reason: sandboxOnly },
  { file: 'packages/schema/src/quantity.ts', begins: '/^([+-]?)([0-9]*)', reason: sandboxOnly },
  { file: 'packages/schema/src/wording.ts', begins: '/0+$/', reason: 'reads the digits of a number of ours' },
  {
    file: 'packages/sandbox/src/controllers/kubelet/host-ports-in-use.ts',
    begins: '/^\\s*(\\d+)\\s*(?:=',
    reason: sandboxOnly,
  },
  { file: 'packages/schema/src/cel/library/formats.ts', begins: 'new RegExp(`', reason: sandboxOnly },
  { file: 'packages/schema/src/cel/library/urls.ts', begins: '/^(?:([a-zA-Z]', reason: sandboxOnly },
]
