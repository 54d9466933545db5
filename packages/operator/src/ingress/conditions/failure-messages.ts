import { type Cached, sanitizeUntrusted } from '@portcullis/kube'
import type { Pod } from 'kubernetes-types/core/v1'
import { Commands } from '../commands.ts'
import type { HostPort } from '../placement/host-ports.ts'
import type { Settings } from '../settings.ts'
import {
  type ContainerFailure,
  type FailureCause,
  failureReasons,
  routerContainer,
} from './container-failures.ts'

/** One image that cannot be pulled fails all routers: each cause is told once, with some of its pods. */
const mostPods = 3
const mostCauses = 5

/** The most characters of the kubelet's words, and of the last of a router. */
const mostOfKubelet = 300
const mostOfRouter = 200

type Quoted<Cause> = Cause extends { readonly words: string | undefined }
  ? Omit<Cause, 'words'> & { readonly words: string }
  : Cause
/** With words that are fit to be quoted. */
type QuotedCause = Quoted<FailureCause>

interface Group {
  readonly cause: QuotedCause
  readonly pods: readonly Cached<Pod>[]
}

/**
 * Why routers do not run, once for each cause, with the commands that show more.
 *
 * @param before what was last reported: the kubelet keeps its words to itself by turns, and the report keeps them
 */
export function describeFailures(
  failures: readonly ContainerFailure[],
  settings: Settings,
  before: string,
): string {
  const groups = groupsOf(failures, before)
    .map(({ cause, pods }) => ({ cause, pods, message: describe({ cause, pods }, settings) }))
    .sort((one, other) => rank(one) - rank(other) || (one.message < other.message ? -1 : 1))
  const left = groups.slice(mostCauses).reduce((sum, { pods }) => sum + pods.length, 0)
  const others = left === 0 ? [] : [`${left} more ${left === 1 ? 'router fails' : 'routers fail'} otherwise.`]
  return [...groups.slice(0, mostCauses).map(({ message }) => message), ...others].join(' ')
}

function rank({ cause }: Group): number {
  return failureReasons.indexOf(cause.reason)
}

function groupsOf(failures: readonly ContainerFailure[], before: string): readonly Group[] {
  const groups = new Map<string, { cause: QuotedCause; pods: Cached<Pod>[] }>()
  for (const { pod, cause } of failures) {
    const quoted = quotable(cause, pod, before)
    const key = JSON.stringify(quoted)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { cause: quoted, pods: [pod] })
    else group.pods.push(pod)
  }
  const byName = (one: Cached<Pod>, other: Cached<Pod>) => (one.metadata.name < other.metadata.name ? -1 : 1)
  return [...groups.values()].map(({ cause, pods }) => ({ cause, pods: pods.sort(byName) }))
}

function quotable(cause: FailureCause, pod: Cached<Pod>, before: string): QuotedCause {
  switch (cause.reason) {
    case 'PortInUse':
      return cause
    case 'ImagePullFailed': {
      const words =
        cause.words === undefined ? wordsBefore(cause, pod, before) : start(cause.words, cause.image)
      return { ...cause, words }
    }
    case 'ContainerStartFailed':
      return { ...cause, problem: sanitizeUntrusted(cause.problem), words: start(cause.words) }
    case 'RouterFails':
      return { ...cause, words: end(cause.words) }
  }
}

/** A connection has another port of its own in each attempt and each pod, which says nothing. */
function withoutSourcePorts(words: string): string {
  return words.trim().replaceAll(/:\d{1,5}->/g, '->')
}

/** @param image that is named before the words: in long ones its name, of which a digest may be part, would hide the cause */
function start(words: string, image = ''): string {
  const said = sanitizeUntrusted(withoutSourcePorts(words))
  if (lengthOf(said) <= mostOfKubelet) return said
  const short = image === '' ? said : said.replaceAll(image, '…')
  if (lengthOf(short) <= mostOfKubelet) return short
  return `${Array.from(short)
    .slice(0, mostOfKubelet - 1)
    .join('')}…`
}

function lengthOf(text: string): number {
  return Array.from(text).length
}

function end(words: string): string {
  return sanitizeUntrusted(Array.from(withoutSourcePorts(words)).slice(-mostOfRouter).join(''))
}

/** What was reported of this image: of this pod, or else of the first. */
function wordsBefore(cause: Cause<'ImagePullFailed'>, pod: Cached<Pod>, before: string): string {
  const opening = `${pullOf(cause)} The kubelet says: "`
  const found: { readonly pods: string; readonly words: string }[] = []
  for (let at = before.indexOf(opening); at >= 0; at = before.indexOf(opening, at + 1)) {
    const from = at + opening.length
    const to = before.indexOf('". To see', from)
    // No name in Kubernetes has a capital letter.
    const pods = before.slice(before.lastIndexOf('Pod', at), at)
    if (to >= 0) found.push({ pods, words: before.slice(from, to) })
  }
  return (found.find(({ pods }) => pods.includes(`${nameOf(pod)} on node `)) ?? found[0])?.words ?? ''
}

type Cause<Reason> = Extract<FailureCause, { readonly reason: Reason }>

function pullOf({ problem, image, container }: Omit<Cause<'ImagePullFailed'>, 'words'>): string {
  return `${problem.text} ${sanitizeUntrusted(image ?? `of container ${container}`)} (${problem.name}).`
}

function describe({ cause, pods }: Group, settings: Settings): string {
  const [first] = pods
  if (first === undefined) return ''
  const isOne = pods.length === 1
  const toSee = `To see ${isOne ? 'its events' : 'the events of the first'}: \`${new Commands(settings).describePod(first.metadata.name)}\``
  const where = placesOf(pods)
  switch (cause.reason) {
    case 'PortInUse':
      return portInUse(cause.port, pods)
    case 'ImagePullFailed':
      return `${where} ${pullOf(cause)}${quote('The kubelet says', cause.words)} ${toSee}`
    case 'ContainerStartFailed':
      return `${where} cannot start container ${cause.container} (${cause.problem}).${quote('The kubelet says', cause.words)} ${toSee}`
    case 'RouterFails': {
      const container = cause.container === routerContainer ? undefined : cause.container
      const logs = new Commands(settings).logsOfCrashed(first.metadata.name, container)
      const fails = isOne ? 'fails to start or keeps crashing' : 'fail to start or keep crashing'
      return `${where} ${fails}.${quote('Its last output', cause.words)}${hintAt(cause)} To see ${isOne ? 'its log' : 'the log of the first'}: \`${logs}\``
    }
  }
}

function portInUse({ number, name, field }: HostPort, pods: readonly Cached<Pod>[]): string {
  const command = `ss -ltnp 'sport = :${number}'`
  const [first, second] = pods
  if (first !== undefined && second === undefined) {
    return `Pod ${nameOf(first)} cannot bind port ${number} (${name}) on node ${nodeOf(first)}: a process that the scheduler does not know of uses it. To find it, run \`${command}\` on the node; then stop it, or choose another ${field}.`
  }
  return `${placesOf(pods)} cannot bind port ${number} (${name}): on each of these nodes a process that the scheduler does not know of uses it. To find it, run \`${command}\` on the node; then stop it, or choose another ${field}.`
}

function hintAt({ suspectPorts }: Omit<Cause<'RouterFails'>, 'words'>): string {
  if (suspectPorts.length === 0) return ''
  const sockets = suspectPorts.map(({ number }) => `sport = :${number}`).join(' or ')
  return ` It ended with exit code 0 before it was ready, as a router does that cannot bind a port. To see who uses its ports, run \`ss -ltnp '${sockets}'\` on the node.`
}

function quote(who: string, words: string): string {
  return words === '' ? '' : ` ${who}: "${words}".`
}

function placesOf(pods: readonly Cached<Pod>[]): string {
  const shown = pods.slice(0, mostPods).map(placeOf)
  const more = pods.length - shown.length
  const places = [...shown, ...(more > 0 ? [`${more} ${more === 1 ? 'other' : 'others'}`] : [])]
  const last = places.length === 1 ? '' : ` and ${places.pop()}`
  return `${pods.length === 1 ? 'Pod' : 'Pods'} ${places.join(', ')}${last}`
}

function placeOf(pod: Cached<Pod>): string {
  return `${nameOf(pod)} on node ${nodeOf(pod)}`
}

function nameOf({ metadata: { namespace, name } }: Cached<Pod>): string {
  return `${namespace}/${name}`
}

function nodeOf({ spec }: Cached<Pod>): string {
  return spec?.nodeName ?? ''
}
