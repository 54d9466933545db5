import { type ControlPlaneCoordinates, ControlPlaneHandle } from '../control-plane-handle.ts'
import type { Inside } from '../inside.ts'
import { asProcessOf } from './bed-directory.ts'
import type { NodeLayout, Scope } from './layout.ts'
import { type BedNamespace, insideNamespace } from './network-namespace.ts'
import { NodeHandle } from './node-handle.ts'

/** All that is needed to use a bed that runs elsewhere: plain data, which can cross to another process. */
export interface NodesCoordinates extends ControlPlaneCoordinates {
  /** The name of its cgroups and of its directory. */
  readonly bed: string
  readonly directory: string
  readonly namespaces: BedNamespaces
  readonly nodes: readonly NodeLayout[]
}

export interface BedNamespaces {
  readonly plane: BedNamespace
  /** The router between nodes and clients, and the load balancers. */
  readonly cloud: BedNamespace
  readonly clients: Readonly<Record<Scope, BedNamespace>>
}

/** What everybody may do with a bed of real nodes. */
export class NodesHandle extends ControlPlaneHandle {
  declare readonly coordinates: NodesCoordinates
  readonly nodes: readonly NodeHandle[]

  constructor(coordinates: NodesCoordinates) {
    super(coordinates)
    const { bed, directory, namespaces } = coordinates
    this.nodes = coordinates.nodes.map(
      (layout) => new NodeHandle(this, { layout, bed, directory, plane: namespaces.plane }, namespaces.cloud),
    )
  }

  node(name: string): NodeHandle {
    const found = this.nodes.find((node) => node.name === name)
    if (found === undefined)
      throw new Error(
        `There is no node "${name}"; there are ${this.nodes.map((node) => node.name).join(', ')}.`,
      )
    return found
  }

  /** For a client outside the cluster, in the network of that scope. */
  insideClient(scope: Scope): Inside {
    return this.#inside(this.coordinates.namespaces.clients[scope])
  }

  get insideCloud(): Inside {
    return this.#inside(this.coordinates.namespaces.cloud)
  }

  get insidePlane(): Inside {
    return this.#inside(this.coordinates.namespaces.plane)
  }

  #inside(namespace: BedNamespace): Inside {
    return insideNamespace(namespace, asProcessOf(this.coordinates.bed))
  }
}
