import { stringify } from 'yaml'
import { apiRedirect, redirectPath, redirectUnit } from './api-redirect.ts'
import { corefile } from './corefile.ts'
import { haproxyConfiguration } from './haproxy.ts'
import { keepalivedConfiguration } from './keepalived.ts'
import { type Node, type Program, programsOf } from './node.ts'
import { configurationOf, staticPod } from './static-pod.ts'

/** A file of a node, by its path below the root. */
export interface NodeFile {
  readonly path: string
  readonly content: string
}

/** Units of systemd are files below this. */
export const unitDirectory = 'etc/systemd/system/'
const unitPath = `${unitDirectory}portcullis-api-redirect.service`

const configurations: Record<Program, (node: Node) => string> = {
  haproxy: haproxyConfiguration,
  keepalived: keepalivedConfiguration,
  coredns: corefile,
}

/**
 * What a node runs so that API and ingress are found and reached, as files: a static pod and its configuration for
 * each program, and for the balancer what leads the virtual IPs to it.
 */
export function renderNode(node: Node): readonly NodeFile[] {
  const programs = programsOf(node)
  if (programs.includes('haproxy') && node.controlPlane.length === 0)
    throw new Error(
      'HAProxy on the control plane needs the addresses of the API servers; give each as --control-plane.',
    )
  return programs.flatMap((program): NodeFile[] => [
    {
      path: manifestPath(program),
      content: `# Written by portcullis render.\n${stringify(staticPod(program, node))}`,
    },
    { path: configurationPath(program), content: configurations[program](node) },
    ...(program === 'haproxy'
      ? [
          { path: redirectPath, content: apiRedirect(node) },
          { path: unitPath, content: redirectUnit() },
        ]
      : []),
  ])
}

/** Every path that some node has a file at: where a node has none, none must be left. */
export const allPaths: readonly string[] = [
  ...(['haproxy', 'keepalived', 'coredns'] as const).flatMap((each) => [
    manifestPath(each),
    configurationPath(each),
  ]),
  redirectPath,
  unitPath,
]

function manifestPath(program: Program): string {
  return `etc/kubernetes/manifests/${program}.yaml`
}

function configurationPath(program: Program): string {
  const { directory, file } = configurationOf[program]
  return `${directory}/${file}`
}
