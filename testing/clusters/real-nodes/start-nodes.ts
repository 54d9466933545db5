import { dirname } from 'node:path'
import { certificateAuthority } from '@portcullis/kube'
import type { Certificate } from '@portcullis/kube/internal/certificates.ts'
import { providerIds, type SandboxPlatform } from '@portcullis/sandbox'
import { allOrNone } from '../all-or-none.ts'
import { type Binaries, controlPlaneBinaries } from '../binaries.ts'
import type { ControlPlane } from '../control-plane.ts'
import { archivesOf, type BedImages, bedImages } from '../images/bed-images.ts'
import { type Inside, mustInside } from '../inside.ts'
import { type Log, silent } from '../log.ts'
import { withProgress } from '../progress.ts'
import { ToolMissing } from '../tool-missing.ts'
import { asProcessOf, BedDirectory } from './bed-directory.ts'
import { applyClusterObjects } from './cluster-objects.ts'
import { nodeKubeconfig, startNodesControlPlane } from './control-plane.ts'
import { requireNoWayOut } from './isolation.ts'
import { type NodeLayout, nodeLayouts } from './layout.ts'
import { clientNetwork, cloudNetwork, joinToPlane, planeNetwork } from './network.ts'
import { applyNetwork, insideNamespace, makeNamespace } from './network-namespace.ts'
import { networkPolicyProgram, networkPolicyUser } from './network-policy.ts'
import { bootNode, directoryOf, type NodePlace, prepareNode } from './node.ts'
import { nodeFiles } from './node-files.ts'
import { type NodePrograms, nodeInit } from './node-init.ts'
import { type BedNamespaces, type NodesCoordinates, NodesHandle } from './nodes-handle.ts'
import { Relay } from './relay.ts'
import { installNodePrograms, thisMachine, whyNoRealNodes } from './requirements.ts'

export interface NodesOptions {
  /** From 1 to 9; 3 unless given. */
  readonly nodes?: number
  /** Whose machines the nodes are, by their provider IDs; AWS' unless given. */
  readonly platform?: SandboxPlatform
  readonly log?: Log
  /** Ends the start, and removes what has been started by then. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Starts a cluster with real nodes on this machine: kubelets, containers and packets, with clients outside. Everything is in network
 * namespaces of its own that have no way out.
 */
export async function startNodes(options: NodesOptions = {}): Promise<Nodes> {
  const { nodes: count = 3, platform = 'AWS', log = silent, signal } = options
  const reason = whyNoRealNodes(await thisMachine())
  if (reason !== undefined) throw new ToolMissing(reason)
  await installNodePrograms()
  const binaries = await controlPlaneBinaries(log, { signal })
  const images = await bedImages(log, { signal })
  const networkPolicy = await networkPolicyProgram(log, signal)
  const directory = await BedDirectory.create()
  try {
    const programs = { kubelet: binaries.kubelet, kubeProxy: binaries.kubeProxy, networkPolicy }
    const layouts = nodeLayouts(count)
    return await start({ layouts, platform, binaries, programs, images, directory, log, signal })
  } catch (error) {
    await directory.remove()
    throw error
  }
}

/** A bed that this process runs, and ends with `stop`. It ends with the process in any case. */
export class Nodes extends NodesHandle {
  readonly controlPlane: ControlPlane
  readonly images: BedImages
  readonly #directory: BedDirectory
  readonly #relay: Relay
  #stopped: Promise<void> | undefined

  constructor(
    coordinates: NodesCoordinates,
    controlPlane: ControlPlane,
    images: BedImages,
    directory: BedDirectory,
    relay: Relay,
  ) {
    super(coordinates)
    this.controlPlane = controlPlane
    this.images = images
    this.#directory = directory
    this.#relay = relay
  }

  /** Ends every process, and removes the directory and the cgroups. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end()
    return this.#stopped
  }

  async #end(): Promise<void> {
    await this.controlPlane.stop()
    await this.#relay.close()
    await this.#directory.remove()
  }
}

interface Ingredients {
  readonly layouts: readonly NodeLayout[]
  readonly platform: SandboxPlatform
  readonly binaries: Binaries
  readonly programs: NodePrograms
  readonly images: BedImages
  readonly directory: BedDirectory
  readonly log: Log
  readonly signal: AbortSignal | undefined
}

async function start(ingredients: Ingredients): Promise<Nodes> {
  const { layouts, binaries, images, directory, log, signal } = ingredients
  const asBed = asProcessOf(directory.name)
  const authority = await certificateAuthority('portcullis-test-authority')
  const namespaces = await makeNetwork(layouts, asBed)
  await requireNoWayOut(directory.name, asBed)
  const places = layouts.map((layout) => ({
    layout,
    bed: directory.name,
    directory: directory.path,
    plane: namespaces.plane,
  }))

  const inside = insideNamespace(namespaces.plane, asBed)
  const relay = await Relay.start(inside)
  const stops = [() => relay.close()]
  const startingControlPlane = async (signal: AbortSignal) => {
    const options = { directory: directory.path, binaries, authority, inside, relay, log, signal }
    const controlPlane = await startNodesControlPlane(options)
    stops.unshift(() => controlPlane.stop())
    return controlPlane
  }
  try {
    const [controlPlane] = await withProgress(
      log,
      `Starting a control plane and ${layouts.length} nodes`,
      () =>
        allOrNone(signal, [
          startingControlPlane,
          ...places.map(
            (place) => (signal: AbortSignal) => installAndBoot(place, authority, ingredients, signal),
          ),
        ]),
    )
    await requireNoWayOut(directory.name, asBed)
    const coordinates = {
      ...controlPlane.coordinates,
      bed: directory.name,
      directory: directory.path,
      namespaces,
      nodes: layouts,
    }
    const nodes = new Nodes(coordinates, controlPlane, images, directory, relay)
    await withProgress(log, 'Waiting for the nodes to be ready', () =>
      allOrNone(signal, [
        () => applyClusterObjects(controlPlane, images),
        ...nodes.nodes.map((node) => (signal: AbortSignal) => node.becomes('Ready', signal)),
      ]),
    )
    return nodes
  } catch (error) {
    for (const stop of stops) await stop()
    throw error
  }
}

/** All namespaces but those of the nodes, which come and go with them. */
async function makeNetwork(layouts: readonly NodeLayout[], asBed: Inside): Promise<BedNamespaces> {
  const [plane, cloud, External, Internal] = await allOrNone(undefined, [
    () => makeNamespace('plane', asBed),
    () => makeNamespace('cloud', asBed),
    () => makeNamespace('client-external', asBed),
    () => makeNamespace('client-internal', asBed),
  ])
  const insidePlane = insideNamespace(plane, asBed)
  await applyNetwork(planeNetwork(layouts), insidePlane)
  await mustInside(insidePlane, 'ip', ['-batch', '-'], joinToPlane('cloud', cloud.pid, 'nodes').join('\n'))
  await applyNetwork(clientNetwork('External', cloud.pid), insideNamespace(External, asBed))
  await applyNetwork(clientNetwork('Internal', cloud.pid), insideNamespace(Internal, asBed))
  await applyNetwork(cloudNetwork(), insideNamespace(cloud, asBed))
  return { plane, cloud, clients: { External, Internal } }
}

async function installAndBoot(
  place: NodePlace,
  authority: Certificate,
  ingredients: Ingredients,
  signal: AbortSignal,
): Promise<void> {
  const { layouts, platform, programs, images, directory } = ingredients
  const { layout } = place
  const archives = archivesOf(images)
  const readOnly = [...new Set([...Object.values(programs), ...archives].map((path) => dirname(path)))]
  const init = nodeInit(
    layout,
    layouts,
    { node: directoryOf(place), logs: `${directory.path}/logs`, readOnly },
    programs,
    { archives: [images.pause.archive, ...archives.filter((archive) => archive !== images.pause.archive)] },
  )
  const number = layouts.indexOf(layout) + 1
  await prepareNode(place, init, {
    ...nodeFiles(layout, { providerId: providerIds[platform](number), pauseImage: images.pause.name }),
    'kubernetes/ca.crt': authority.certificate,
    'kubernetes/kubelet.kubeconfig': await nodeKubeconfig(authority, `system:node:${layout.name}`, [
      'system:nodes',
    ]),
    'kubernetes/kube-proxy.kubeconfig': await nodeKubeconfig(authority, 'system:kube-proxy', []),
    'kubernetes/network-policy.kubeconfig': await nodeKubeconfig(authority, networkPolicyUser, []),
  })
  signal.throwIfAborted()
  await bootNode(place, asProcessOf(directory.name), signal)
}
