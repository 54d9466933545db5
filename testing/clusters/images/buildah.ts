import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { debianProgram } from '../../onprem/install-programs.ts'
import type { Log } from '../log.ts'
import { withProgress } from '../progress.ts'
import { type CommandResult, run } from '../run-command.ts'
import { readContainerfile } from './containerfile.ts'
import { nodejsImage, nodejsLayer, npmLayer } from './nodejs-image.ts'
import { type ImageConfig, ociArchive } from './oci-archive.ts'
import { repository } from './operator-image.ts'

/** An image that buildah has made, until `remove`. */
export interface BuiltImage {
  /** As the archive names it. */
  readonly name: string
  readonly archive: string
  /** What buildah says of it. */
  readonly config: ImageConfig
  remove(): Promise<void>
}

/**
 * Whatever buildah writes below these stays in memory that nobody else sees, and is gone with the shell: it locks the machine's
 * network of containers, and keeps a cache, whatever its options say.
 */
const traceless = `set -e
mount --make-rprivate /
mkdir -p "$1/memory"
mount -t tmpfs tmpfs "$1/memory"
for top in etc var run; do
  mkdir -p "$1/memory/$top/upper" "$1/memory/$top/work"
  mount -t overlay -o "lowerdir=/$top,upperdir=$1/memory/$top/upper,workdir=$1/memory/$top/work" overlay "/$top"
done
shift
exec "$@"`

const options =
  'build --quiet --isolation chroot --network host --file Containerfile --ignorefile Containerfile.dockerignore'

/** Builds the Containerfile, unchanged, on a base of ours; npm asks the registry of this machine. Half a minute. */
export async function buildContainerfile(log: Log): Promise<BuiltImage> {
  const program = await debianProgram('buildah')
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-buildah-'))
  const remove = () => rm(directory, { recursive: true, force: true, maxRetries: 5 })
  const buildah = (...args: readonly string[]) => {
    const storage = ['--root', join(directory, 'storage'), '--runroot', join(directory, 'running')]
    const all = [program, '--storage-driver', 'overlay', ...storage, ...args]
    const shell = ['--mount', 'sh', '-c', traceless, 'portcullis-buildah', directory, ...all]
    return must(run('unshare', shell, { cwd: repository, env: { TMPDIR: join(directory, 'temporary') } }))
  }
  try {
    await mkdir(join(directory, 'temporary'))
    const file = await readFile(join(repository, 'Containerfile'), 'utf8')
    const base = join(directory, 'base.tar')
    await writeFile(base, await baseArchive(log))
    const name = 'localhost/portcullis/built:1'
    const archive = join(directory, 'image.tar')
    await withProgress(log, "buildah's build of the Containerfile", () =>
      buildah(
        ...options.split(' '),
        `--build-context=${readContainerfile(file).base}=docker-image://oci-archive:${base}`,
        `--tag=${name}`,
        '.',
      ),
    )
    await buildah('push', '--quiet', name, `oci-archive:${archive}:${name}`)
    const inspected = JSON.parse((await buildah('inspect', '--type', 'image', name)).stdout) as Inspected
    return { name, archive, config: inspected.OCIv1.config, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

interface Inspected {
  readonly OCIv1: { readonly config: ImageConfig }
}

async function baseArchive(log: Log): Promise<readonly Uint8Array[]> {
  const nodejs = await nodejsImage(log)
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const layers = [await nodejsLayer(nodejs), await npmLayer()]
  return ociArchive([{ name: 'localhost/portcullis/base:1', architecture, config: nodejs.config, layers }])
}

async function must(running: Promise<CommandResult>): Promise<CommandResult> {
  const result = await running
  if (result.code !== 0) throw new Error(`buildah failed:\n${result.stderr}${result.stdout}`)
  return result
}
