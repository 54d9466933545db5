import { REMOVE_IF_OWNED, type Wanted } from '@portcullis/kube'
import type {
  Container,
  PodSecurityContext,
  PodSpec,
  SecurityContext,
  Volume,
  VolumeMount,
} from 'kubernetes-types/core/v1'
import { hostPortsOf } from '../placement/host-ports.ts'
import type { Settings } from '../settings.ts'
import type { WantedStrategy } from '../strategies/wanted-strategy.ts'

/**
 * What routers may do: what the Pod Security Standard `restricted` allows, but for what their strategy needs. On
 * OpenShift a SecurityContextConstraint decides; the one that is named is the least that lets a router listen.
 */
interface RouterSecurityInput {
  readonly settings: Settings
  readonly strategy: WantedStrategy
}

/** In OpenShift's router image: the directories that it writes to. */
export const configDirectory = '/var/lib/haproxy'
/** Where the same volume is while it is filled. */
export const initDirectory = '/mnt/config'
const configVolume = 'haproxy-config'
const temporaryVolume = 'tmp'
const tokenVolume = 'kube-api-access'
const tokenDirectory = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The user of OpenShift's router image, which lets any user of group 0 write. */
const routerUser = 1001

const isOpenShift = ({ settings }: RouterSecurityInput) => settings.commandLine === 'oc'
const isOnHost = ({ strategy }: RouterSecurityInput) => strategy.type === 'HostNetwork'

export const constraintAnnotation = 'openshift.io/required-scc'
export const constraints = ['restricted', 'hostnetwork'] as const

/** By its name a constraint is chosen; else a router gets whichever comes first, and may not listen (OCPBUGS-34418). */
export function securityAnnotations(input: RouterSecurityInput): Wanted<Record<string, string>> {
  const constraint: (typeof constraints)[number] = isOnHost(input) ? 'hostnetwork' : 'restricted'
  return { [constraintAnnotation]: isOpenShift(input) ? constraint : REMOVE_IF_OWNED }
}

export function podSecurity(input: RouterSecurityInput): Wanted<PodSpec> {
  return {
    // Only the router itself asks the API server: it alone gets a token, and that one expires.
    automountServiceAccountToken: false,
    securityContext: podSecurityContext(input),
  }
}

export const lowPortsSysctl = 'net.ipv4.ip_unprivileged_port_start'

function podSecurityContext(input: RouterSecurityInput): Wanted<PodSecurityContext> {
  if (isOpenShift(input)) {
    // The user comes from the namespace's range; and those constraints do not allow a seccomp profile to be chosen.
    return {
      runAsNonRoot: true,
      runAsUser: REMOVE_IF_OWNED,
      seccompProfile: REMOVE_IF_OWNED,
      sysctls: REMOVE_IF_OWNED,
    }
  }
  return {
    runAsNonRoot: true,
    runAsUser: routerUser,
    seccompProfile: { type: 'RuntimeDefault' },
    // So that ports 80 and 443 need no privilege; the network of a node is not ours to change.
    sysctls: isOnHost(input) ? REMOVE_IF_OWNED : [{ name: lowPortsSysctl, value: '0' }],
  }
}

export function routerSecurityContext(input: RouterSecurityInput): Wanted<SecurityContext> {
  if (isOpenShift(input)) {
    // HAProxy may listen on low ports by a capability of its file, which nothing but this lets it use (BZ2007246).
    return {
      allowPrivilegeEscalation: true,
      readOnlyRootFilesystem: true,
      capabilities: REMOVE_IF_OWNED,
    }
  }
  return {
    allowPrivilegeEscalation: hostPortsOf(input.strategy).some(({ number }) => number < 1024),
    readOnlyRootFilesystem: true,
    // A file with a capability that may not be had at all cannot even be started.
    capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
  }
}

export const initContainerName = 'init-router'
export const initRequests = { cpu: '10m', memory: '32Mi' }
/**
 * Without -p: the directory is root's, and nobody else may set its times. What a router copies is its own; its group may write,
 * as in the image. By -f files that may not be written are replaced when a pod is started again.
 */
export const initCommand = [
  '/bin/sh',
  '-c',
  `umask 002 && cp -R -f ${configDirectory}/. ${initDirectory}/`,
] as const

/** Copies what the image has where routers write: their own file system is read-only. */
export function initContainer(input: RouterSecurityInput): Wanted<Container> {
  const { routerImage } = input.settings
  return {
    name: initContainerName,
    image: routerImage,
    command: [...initCommand],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    resources: { requests: initRequests, limits: { memory: '256Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: isOpenShift(input) ? REMOVE_IF_OWNED : { drop: ['ALL'] },
    },
    volumeMounts: [initMount],
  }
}

const initMount = { name: configVolume, mountPath: initDirectory } as const

export const certificateMount = {
  name: 'default-certificate',
  mountPath: '/etc/pki/tls/private',
  readOnly: true,
} as const

export const securityMounts: readonly (VolumeMount & Wanted<VolumeMount>)[] = [
  { name: configVolume, mountPath: configDirectory },
  { name: temporaryVolume, mountPath: '/tmp' },
  { name: tokenVolume, mountPath: tokenDirectory, readOnly: true },
]

/** Everything that is mounted, in whichever container. */
export const routerMounts: readonly VolumeMount[] = [...securityMounts, certificateMount, initMount]

export const certificateAuthority = 'kube-root-ca.crt'
export const namespaceField = 'metadata.namespace'
/** The kubelet renews a token before it expires. */
export const tokenSeconds = 3600

export const securityVolumes: readonly Wanted<Volume>[] = [
  { name: configVolume, emptyDir: { sizeLimit: '1Gi' } },
  { name: temporaryVolume, emptyDir: { sizeLimit: '64Mi' } },
  {
    name: tokenVolume,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { path: 'token', expirationSeconds: tokenSeconds } },
        { configMap: { name: certificateAuthority, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: namespaceField } }],
          },
        },
      ],
    },
  },
]
