import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDirectory } from '../cache.ts'
import { type Build, build, builtOnce } from '../go-build.ts'
import type { Log } from '../log.ts'
import { archivedOnce } from './image-cache.ts'
import { entriesOf, shell, versionsOf, withLibraries } from './machine-programs.ts'
import { nodejsImage, nodejsLayer, nodejsVersions } from './nodejs-image.ts'
import { type ImageConfig, type OciImage, ociArchive } from './oci-archive.ts'
import { operatorImage } from './operator-image.ts'
import { routerConfig, routerLayer } from './router-image.ts'
import type { TarEntry } from './tar.ts'

/** An image that no registry has: nodes import it. */
export interface BedImage {
  /** As pods name it. */
  readonly name: string
  /** The file with it, and maybe with others: `ctr -n k8s.io images import` takes it. */
  readonly archive: string
}

/** What nodes run in tests. */
export interface BedImages {
  /** Holds the namespaces of a pod open. */
  readonly pause: BedImage
  /** Listens on low ports by a capability of its file, as OpenShift's does. */
  readonly router: BedImage
  /** The same under another name, as a newer version would be. */
  readonly routerNext: BedImage
  /** Without that capability: on the network of a node it cannot listen on port 80. */
  readonly routerNonRoot: BedImage
  /** Goes on without a port that it cannot have, is never ready, and ends with exit code 0. */
  readonly routerKeepsGoing: BedImage
  /** CoreDNS, as the cluster's DNS. */
  readonly clusterDns: BedImage
  /** Portcullis as this checkout has it, as its Containerfile says. It has a shell and `node`, too. */
  readonly operator: BedImage
}

interface BedImagesOptions {
  /** The directory that keeps what was built. */
  readonly cache?: string
  readonly signal?: AbortSignal | undefined
}

interface Making {
  readonly cache: string
  readonly log: Log
  readonly signal: AbortSignal | undefined
}

/** Makes what the cache does not have yet: minutes the first time, nothing afterwards. */
export async function bedImages(log: Log, options: BedImagesOptions = {}): Promise<BedImages> {
  const { cache = cacheDirectory(process.env), signal } = options
  const making = { cache, log, signal }
  const programs = await bedPrograms(making)
  return {
    ...(await pauseImage(programs, making)),
    ...(await routerImages(programs, making)),
    ...(await clusterDnsImage(making)),
    ...(await operatorImages(making)),
  }
}

/** Every archive once: images may share one. */
export function archivesOf(images: BedImages): readonly string[] {
  return [...new Set(Object.values(images).map(({ archive }: BedImage) => archive))]
}

const nameOf = (image: string) => `localhost/portcullis/${image}:1`

function imageOf(name: string, config: ImageConfig, layers: readonly (readonly TarEntry[])[]): OciImage {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'
  return { name: nameOf(name), architecture, config, layers }
}

function moduleOf(name: string): Build {
  const module = fileURLToPath(new URL(`../go/${name}`, import.meta.url))
  return { module, ldflags: '-s -w', packages: '.' }
}

/** The directory of the programs that are ours. */
function bedPrograms({ cache, log, signal }: Making): Promise<string> {
  const builds = { pause: moduleOf('pause'), router: moduleOf('router') }
  return builtOnce({ cache, name: 'node-programs', builds: Object.values(builds) }, async (into) => {
    for (const [name, each] of Object.entries(builds))
      await build(each, `the ${name} of real nodes`, into, log, signal)
  })
}

async function pauseImage(programs: string, { cache }: Making) {
  const program = join(programs, 'pause')
  const archive = await archivedOnce({ cache, name: 'pause', inputs: [program] }, async () => {
    const layer = [{ type: 'file', path: 'pause', mode: 0o755, content: await readFile(program) } as const]
    return ociArchive([imageOf('pause', { Entrypoint: ['/pause'] }, [layer])])
  })
  return { pause: { name: nameOf('pause'), archive } }
}

async function routerImages(programs: string, { cache }: Making) {
  const program = join(programs, 'router')
  const used = await withLibraries(shell)
  const inputs = [program, ...(await versionsOf(used))]
  const archive = await archivedOnce({ cache, name: 'router', inputs }, async () => {
    const files = { program: await readFile(program), shell: await entriesOf(used) }
    const capable = routerLayer(files, true)
    // Nobody waits for one that is not ready: it leaves at once.
    const keepsGoing = {
      ...routerConfig,
      Env: [...(routerConfig.Env ?? []), 'LEAVE_AFTER=0'],
      Cmd: ['--keep-going-without-port'],
    }
    return ociArchive([
      imageOf('router', routerConfig, [capable]),
      imageOf('router-next', routerConfig, [capable]),
      imageOf('router-non-root', routerConfig, [routerLayer(files, false)]),
      imageOf('router-keeps-going', keepsGoing, [capable]),
    ])
  })
  const image = (name: string): BedImage => ({ name: nameOf(name), archive })
  return {
    router: image('router'),
    routerNext: image('router-next'),
    routerNonRoot: image('router-non-root'),
    routerKeepsGoing: image('router-keeps-going'),
  }
}

async function clusterDnsImage({ cache, log, signal }: Making) {
  const source = moduleOf('cluster-dns')
  const directory = await builtOnce({ cache, name: 'cluster-dns', builds: [source] }, (into) =>
    build(source, 'CoreDNS with its plugin for Kubernetes', into, log, signal),
  )
  const program = join(directory, 'cluster-dns')
  const archive = await archivedOnce({ cache, name: 'cluster-dns', inputs: [program] }, async () => {
    const layer = [{ type: 'file', path: 'coredns', mode: 0o755, content: await readFile(program) } as const]
    return ociArchive([imageOf('cluster-dns', { Entrypoint: ['/coredns'] }, [layer])])
  })
  return { clusterDns: { name: nameOf('cluster-dns'), archive } }
}

/** The program is built anew each time, in a second; the archive is written anew only if something in it has changed. */
async function operatorImages({ cache, log }: Making) {
  const nodejs = await nodejsImage(log)
  const { config, layer } = await operatorImage(nodejs.config)
  const contents = layer.map((entry) =>
    entry.type === 'file' ? Buffer.from(entry.content).toString('latin1') : '',
  )
  const inputs = [JSON.stringify(config), ...contents, ...(await nodejsVersions(nodejs))]
  const archive = await archivedOnce({ cache, name: 'operator', inputs }, async () =>
    ociArchive([imageOf('operator', config, [await nodejsLayer(nodejs), layer])]),
  )
  return { operator: { name: nameOf('operator'), archive } }
}
