import { lstat, mkdir, open, readFile, rm, rmdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { quoted } from '@portcullis/operator'
import { stringify } from 'yaml'

/** A kubeconfig that exists for as long as its sandbox runs. */
export interface WrittenKubeconfig {
  readonly path: string
  /** Removes the file if it is still the one that was written, and the directories that were created for it. */
  remove(): Promise<void>
}

/** Everywhere else `--kubeconfig` names a file to read: an existing one may be the user's only access to a cluster. */
export class FileExistsError extends Error {
  constructor(path: string, cause: unknown) {
    const command = `rm ${quoted(path)}`
    super(
      `${path} already exists and was not changed. If a killed sandbox left it behind, remove it with \`${command}\`; otherwise specify another path with --kubeconfig.`,
      { cause },
    )
  }
}

export async function writeKubeconfig(
  path: string,
  { server, ca, token }: { server: string; ca: string; token: string },
): Promise<WrittenKubeconfig> {
  const absolute = resolve(path)
  const name = 'portcullis-sandbox'
  const content = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [
      { name, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
  })
  const made = await mkdir(dirname(absolute), { recursive: true })
  try {
    const inode = await create(absolute, content)
    return {
      path: absolute,
      remove: async () => {
        if (await isStill(absolute, inode, content)) await rm(absolute, { force: true })
        await removeDirectories(dirname(absolute), made)
      },
    }
  } catch (error) {
    await removeDirectories(dirname(absolute), made)
    throw error
  }
}

/** Creates a new file and returns its inode. `wx` refuses an existing path, also a symbolic link. */
async function create(path: string, content: string): Promise<bigint> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new FileExistsError(path, error) : error
  })
  try {
    await file.writeFile(content)
    return (await file.stat({ bigint: true })).ino
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Whether the path still holds the same file with the same content. */
async function isStill(path: string, inode: bigint, content: string): Promise<boolean> {
  try {
    const found = await lstat(path, { bigint: true })
    return found.isFile() && found.ino === inode && (await readFile(path, 'utf8')) === content
  } catch {
    return false
  }
}

/** From the innermost to the first that was created; one that holds other files stays. */
async function removeDirectories(innermost: string, first: string | undefined): Promise<void> {
  if (first === undefined) return
  try {
    for (let directory = innermost; directory.startsWith(first); directory = dirname(directory))
      await rmdir(directory)
  } catch {}
}
