import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Node, renderNode } from '@portcullis/onprem'
import { onTestFinished } from 'vitest'
import { silent } from '../clusters/log.ts'
import { Workspace } from '../clusters/workspace.ts'
import { NetworkNamespace } from './network-namespace.ts'

/** A directory and processes, as long as the test lasts. */
export async function aWorkspace(): Promise<Workspace> {
  const workspace = await Workspace.create(silent)
  onTestFinished(() => workspace.remove())
  return workspace
}

/** A network, as long as the test lasts. */
export async function aNetworkNamespace(): Promise<NetworkNamespace> {
  const namespace = await NetworkNamespace.make()
  onTestFinished(() => namespace.remove())
  return namespace
}

/** Writes the node's files, and returns where each of them is. */
export async function writeNode(node: Node, { directory }: Workspace): Promise<(name: string) => string> {
  const rendered = renderNode(node)
  for (const { path, content } of rendered) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), content)
  }
  return (name) => join(directory, rendered.find(({ path }) => path.endsWith(`/${name}`))?.path ?? 'nowhere')
}

/** Waits until a condition holds, and returns the milliseconds that it took. */
export async function until(what: string, isSo: () => Promise<boolean>, withinMs = 40_000): Promise<number> {
  const start = performance.now()
  while (!(await isSo())) {
    if (performance.now() - start > withinMs) throw new Error(`Not within ${withinMs / 1000} s: ${what}`)
    await pause(100)
  }
  return performance.now() - start
}
