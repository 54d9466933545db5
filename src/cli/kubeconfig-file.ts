import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { stringify } from 'yaml'

/** A kubeconfig for one cluster, written for as long as the cluster lasts. */
export interface WrittenKubeconfig {
  readonly path: string
  /** Takes the file away again, and its directory if that was made for it. */
  remove(): Promise<void>
}

export async function writeKubeconfig(
  path: string,
  { server, ca, token }: { server: string; ca: string; token: string },
): Promise<WrittenKubeconfig> {
  const absolute = resolve(path)
  const made = await mkdir(dirname(absolute), { recursive: true })
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
  await writeFile(absolute, content, { mode: 0o600 })
  return {
    path: absolute,
    remove: async () => {
      await rm(absolute, { force: true })
      // Somebody may have put something else there meanwhile: then it stays.
      if (made !== undefined) await rmdir(made).catch(() => {})
    },
  }
}
