import { ownerLabel, routerAccount, routerLabel, templateHashLabel } from '../ingress/names.ts'
import { routerPriorityClass } from '../ingress/operands/router-deployment.ts'
import { routerVariables } from '../ingress/operands/router-environment.ts'
import {
  certificateAuthority,
  certificateMount,
  constraintAnnotation,
  constraints,
  initCommand,
  initContainerName,
  initRequests,
  lowPortsSysctl,
  namespaceField,
  routerMounts,
  tokenSeconds,
} from '../ingress/operands/router-security.ts'
import { hasPath, same, text } from './cel.ts'

/** What the rules below speak of, by its name in CEL. */
export function podVariables(hostNetwork: boolean): Record<string, string> {
  return {
    hostNetwork: String(hostNetwork),
    spec: 'object.spec.template.spec',
    // A list of one or none: there is nothing before an object is made.
    old: 'oldObject == null ? [] : [oldObject.spec.template.spec]',
    volumes: 'variables.spec.?volumes.orValue([])',
    routers: routersIn('variables.spec'),
    oldRouters: `oldObject == null ? [] : ${routersIn('oldObject.spec.template.spec')}`,
    annotations: metadataOf('object', 'annotations'),
    oldAnnotations: `oldObject == null ? {} : ${metadataOf('oldObject', 'annotations')}`,
    labels: metadataOf('object', 'labels'),
    oldLabels: `oldObject == null ? {} : ${metadataOf('oldObject', 'labels')}`,
  }
}

/** The containers that are ours, whether they serve or prepare. */
function routersIn(spec: string): string {
  return `${spec}.containers.filter(c, c.name == "router") + ${spec}.?initContainers.orValue([]).filter(c, c.name == ${text(initContainerName)})`
}

function metadataOf(object: string, field: string): string {
  return `${object}.spec.template.?metadata.?${field}.orValue({})`
}

/**
 * What the pods of a Deployment may be: routers, as they are configured, and what a person has added. Whatever could run a command
 * in a router, or show what it has mounted, is bounded: who may do that has the private keys of its certificates.
 */
export function podRules(routerImage: string): Record<string, string> {
  return {
    'routers use neither the PID nor the IPC namespace of their node': podHasNone(['hostPID', 'hostIPC']),
    'routers set neither shareProcessNamespace nor hostUsers': podHasNone([
      'shareProcessNamespace',
      'hostUsers',
    ]),
    'routers use neither the network nor ports of their node, except with HostNetwork': `variables.hostNetwork || (${podHasNone(['hostNetwork'])} && ${everyItem('ports', 'p', 'p.?hostPort.orValue(0) == 0')})`,
    'routers do not set nodeName': podHasNone(['nodeName']),
    'routers use the DNS settings of the cluster': podHasNone(['hostAliases', 'dnsConfig']),
    'routers set no runtime class, operating system, resource claim or image pull Secret': podHasNone([
      'runtimeClassName',
      'os',
      'resourceClaims',
      'imagePullSecrets',
    ]),
    [`routers have no priority class except ${routerPriorityClass}`]: podUnlessThere(
      `variables.spec.?priorityClassName.orValue("") in ["", ${text(routerPriorityClass)}]`,
      'priorityClassName',
    ),
    [`routers run as the ServiceAccount ${routerAccount}`]: `(variables.spec.?serviceAccountName.orValue("") == ${text(routerAccount)} || variables.old.exists(o, ${same('o', 'variables.spec', 'serviceAccountName')}))`,
    'routers have no volumes except the Secret of their certificate, their own token and empty directories': `variables.volumes.all(v, ${[
      'has(v.emptyDir)',
      `(has(v.secret) && v.name == ${text(certificateMount.name)})`,
      `(has(v.projected) && v.projected.?sources.orValue([]).all(s, ${tokenSource}))`,
      'variables.old.exists(o, v in o.?volumes.orValue([]))',
    ].join(' || ')})`,
    'routers mount their volumes at the expected paths': everyItem(
      'volumeMounts',
      'm',
      `(m.name + ":" + m.mountPath) in ${JSON.stringify(routerMounts.map(({ name, mountPath }) => `${name}:${mountPath}`))} && !has(m.subPath) && !has(m.subPathExpr)`,
    ),
    'a router has one container, named router, and one init container': `variables.spec.containers.all(c, c.name == "router" || variables.old.exists(o, c in o.containers)) && variables.spec.?initContainers.orValue([]).all(c, c.name == ${text(initContainerName)} || variables.old.exists(o, c in o.?initContainers.orValue([])))`,
    [`routers run the configured image, ${routerImage}`]: everyRouter([
      unlessThere(`c.image == ${text(routerImage)}`, 'image'),
    ]),
    'routers run the entrypoint of their image': everyRouter([
      ...routerHasNone(['args', 'lifecycle', 'volumeDevices', 'workingDir']),
      unlessThere(
        `!has(c.command) || (c.name == ${text(initContainerName)} && c.command == ${JSON.stringify(initCommand)})`,
        'command',
      ),
      unlessThere(
        'c.?terminationMessagePath.orValue("/dev/termination-log") == "/dev/termination-log"',
        'terminationMessagePath',
      ),
    ]),
    'routers request only the resources that routers need, and no devices': `${podHasNone(['resources'])} && ${everyRouter(
      [
        unlessThere(
          `c.?resources.?requests.orValue({}).all(k, k in variables.mostRequested && (${isNoMore} || c.resources.requests[k] == ${JSON.stringify(initRequests)}[k]))`,
          'resources.requests',
        ),
        // What is limited and not asked for is asked for as far as the limit goes.
        unlessThere(
          'c.?resources.?limits.orValue({}).all(k, k == "memory" && k in c.resources.?requests.orValue({}))',
          'resources.limits',
        ),
      ],
    )}`,
    'routers are probed only over HTTP, and only themselves': everyRouter(probes.flatMap(probeRules)),
    'routers have only known environment variables, with literal values': `${everyItem('env', 'e', `!has(e.valueFrom) && (${knownVariables()})`)} && ${everyRouter(routerHasNone(['envFrom']))}`,
    'routers are not privileged, and add no capability except NET_BIND_SERVICE': everyRouter([
      unlessThere('!c.?securityContext.?privileged.orValue(false)', 'securityContext.privileged'),
      `c.?securityContext.?capabilities.?add.orValue([]).all(x, x == "NET_BIND_SERVICE" || ${before}.exists(d, x in d.?securityContext.?capabilities.?add.orValue([])))`,
      unlessThere(
        'c.?securityContext.?procMount.orValue("Default") == "Default"',
        'securityContext.procMount',
      ),
      unlessThere('c.?securityContext.?runAsUser.orValue(1) != 0', 'securityContext.runAsUser'),
      unlessThere(
        'c.?securityContext.?seccompProfile.?type.orValue("RuntimeDefault") == "RuntimeDefault"',
        'securityContext.seccompProfile',
      ),
      ...routerHasNone(confinement),
    ]),
    'router pods keep the default confinement of pods': [
      podUnlessThere(
        'variables.spec.?securityContext.?runAsUser.orValue(1) != 0',
        'securityContext.runAsUser',
      ),
      podUnlessThere(
        'variables.spec.?securityContext.?seccompProfile.?type.orValue("RuntimeDefault") == "RuntimeDefault"',
        'securityContext.seccompProfile',
      ),
      `variables.spec.?securityContext.?sysctls.orValue([]).all(s, s.name == ${text(lowPortsSysctl)} || variables.old.exists(o, s in o.?securityContext.?sysctls.orValue([])))`,
      podHasNone(confinement),
    ].join(' && '),
    'routers have no annotation except the one of OpenShift': `variables.annotations.all(k, (k == ${text(constraintAnnotation)} && variables.annotations[k] in ${JSON.stringify(constraints)}) || (k in variables.oldAnnotations && variables.oldAnnotations[k] == variables.annotations[k]))`,
    'routers have no labels except their own': `variables.labels.all(k, k in ${JSON.stringify([routerLabel, ownerLabel, templateHashLabel])} || (k in variables.oldLabels && variables.oldLabels[k] == variables.labels[k]))`,
  }
}

/** The same amount can be written in several ways. */
const isNoMore = 'quantity(c.resources.requests[k]).compareTo(quantity(variables.mostRequested[k])) <= 0'

const confinement = ['seLinuxOptions', 'appArmorProfile', 'windowsOptions'].map(
  (field) => `securityContext.${field}`,
)

/** What a token comes with. Annotations, which a projected volume could show as files, have arbitrary content. */
const tokenSource = [
  `(has(s.serviceAccountToken) && s.serviceAccountToken.?audience.orValue("") == "" && s.serviceAccountToken.?expirationSeconds.orValue(${tokenSeconds}) <= ${tokenSeconds})`,
  `(has(s.configMap) && s.configMap.?name.orValue("") == ${text(certificateAuthority)})`,
  `(has(s.downwardAPI) && s.downwardAPI.?items.orValue([]).all(i, i.?fieldRef.?fieldPath.orValue("") == ${text(namespaceField)}))`,
].join(' || ')

const probes = ['startupProbe', 'readinessProbe', 'livenessProbe']

/**
 * A kubelet asks whatever it is told to: of hosts only the router itself, which on OpenShift is called localhost where it has the
 * network of its node. For any other pod that name is the node.
 */
function probeRules(probe: string): string[] {
  const others = ['exec', 'tcpSocket', 'grpc', 'httpGet.httpHeaders']
  return [
    ...routerHasNone(others.map((field) => `${probe}.${field}`)),
    unlessThere(
      `c.?${probe}.?httpGet.?host.orValue("") == "" || (c.${probe}.httpGet.host == "localhost" && variables.spec.?hostNetwork.orValue(false))`,
      `${probe}.httpGet.host`,
    ),
  ]
}

/** That a variable is one of ours, and says what such a one can say. */
function knownVariables(): string {
  const patterns = new Map<string, string[]>()
  for (const [name, pattern] of Object.entries(routerVariables))
    patterns.set(pattern, [...(patterns.get(pattern) ?? []), name])
  return [...patterns]
    .map(
      ([pattern, names]) =>
        `(e.name in ${JSON.stringify(names)} && e.?value.orValue("").matches(${text(`^(${pattern})$`)}))`,
    )
    .join(' || ')
}

/** Those that the container was before. */
const before = 'variables.oldRouters.filter(d, d.name == c.name)'

function everyRouter(conditions: readonly string[]): string {
  return `variables.routers.all(c, ${conditions.join(' && ')})`
}

/** That a condition holds for all in a list of each router, but for what was there before. */
function everyItem(list: string, item: string, condition: string): string {
  return `variables.routers.all(c, c.?${list}.orValue([]).all(${item}, (${condition}) || ${before}.exists(d, ${item} in d.?${list}.orValue([]))))`
}

/** A condition of a router, or that it had the same in a field before. */
function unlessThere(condition: string, path: string): string {
  return `(${condition} || ${before}.exists(d, ${hasPath('d', path)} && d.${path} == c.${path}))`
}

function routerHasNone(paths: readonly string[]): string[] {
  return paths.map((path) => unlessThere(`!(${hasPath('c', path)})`, path))
}

/** The same of pods. */
function podUnlessThere(condition: string, path: string): string {
  return `(${condition} || variables.old.exists(o, ${hasPath('o', path)} && o.${path} == variables.spec.${path}))`
}

function podHasNone(paths: readonly string[]): string {
  return paths.map((path) => podUnlessThere(`!(${hasPath('variables.spec', path)})`, path)).join(' && ')
}
