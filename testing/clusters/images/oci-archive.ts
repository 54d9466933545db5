import { createHash } from 'node:crypto'
import { type TarEntry, tar } from './tar.ts'

/** What a container of an image is started with; in the words of the image specification. */
export interface ImageConfig {
  readonly User?: string
  readonly Env?: readonly string[]
  readonly Entrypoint?: readonly string[]
  readonly Cmd?: readonly string[]
  readonly WorkingDir?: string
  readonly Labels?: Readonly<Record<string, string>>
}

export interface OciImage {
  /** With its registry and tag, as pods name it. */
  readonly name: string
  readonly architecture: 'amd64' | 'arm64'
  readonly config: ImageConfig
  /** From the lowest on; parents come before what is in them. */
  readonly layers: readonly (readonly TarEntry[])[]
}

interface Blob {
  readonly digest: string
  readonly size: number
  readonly pieces: readonly Uint8Array[]
}

interface Described {
  readonly mediaType: string
  readonly blob: Blob
}

/**
 * An archive that `ctr -n k8s.io images import` takes, in pieces: the same images give the same bytes, and what they share is
 * in it once. Layers are not compressed: nothing is sent anywhere, and decompression is what would take the time.
 */
export function ociArchive(images: readonly OciImage[]): readonly Uint8Array[] {
  const manifests = images.map(manifestOf)
  const index = { schemaVersion: 2, manifests: manifests.map(({ named }) => named) }
  const blobs = new Map(manifests.flatMap((each) => each.blobs).map((blob) => [blob.digest, blob]))
  return tar([
    { type: 'file', path: 'oci-layout', content: json({ imageLayoutVersion: '1.0.0' }) },
    { type: 'file', path: 'index.json', content: json(index) },
    ...[...blobs.values()].map(
      ({ digest, pieces }) =>
        ({ type: 'file', path: `blobs/sha256/${digest}`, content: Buffer.concat(pieces) }) as const,
    ),
  ])
}

function manifestOf({ name, architecture, config, layers }: OciImage) {
  const layerBlobs = layers.map((entries) => blobOf(tar(entries)))
  const configBlob = jsonBlob({
    architecture,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layerBlobs.map(({ digest }) => `sha256:${digest}`) },
  })
  const manifest = jsonBlob({
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptor({ mediaType: configType, blob: configBlob }),
    layers: layerBlobs.map((blob) => descriptor({ mediaType: layerType, blob })),
  })
  const annotations = {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
  }
  return {
    named: { ...descriptor({ mediaType: manifestType, blob: manifest }), annotations },
    blobs: [manifest, configBlob, ...layerBlobs],
  }
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const configType = 'application/vnd.oci.image.config.v1+json'
const layerType = 'application/vnd.oci.image.layer.v1.tar'

function descriptor({ mediaType, blob }: Described) {
  return { mediaType, digest: `sha256:${blob.digest}`, size: blob.size }
}

function jsonBlob(value: object): Blob {
  return blobOf([json(value)])
}

function json(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

function blobOf(pieces: readonly Uint8Array[]): Blob {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return {
    digest: hash.digest('hex'),
    size: pieces.reduce((total, piece) => total + piece.length, 0),
    pieces,
  }
}
