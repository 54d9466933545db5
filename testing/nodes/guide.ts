import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import type { NodesHandle } from '../clusters/real-nodes/nodes-handle.ts'
import { run } from '../clusters/run-command.ts'
import { helmDirectory } from '../installation/helm.ts'

const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url))

/** A page of the documentation whose code blocks are pasted into a shell, one after the other. */
export class Guide {
  readonly #blocks: ReadonlyMap<string, readonly string[]>
  readonly #followed = new Set<string>()
  readonly #paste: (block: string) => Promise<string>

  /** @param rewritten a block as it is on the bed */
  static async open(bed: NodesHandle, file: string, rewritten: (block: string) => string): Promise<Guide> {
    const environment = await shellEnvironment(bed)
    return new Guide(await readFile(pathOf(file), 'utf8'), async (block) => {
      const script = ['--norc', '-eu', '-o', 'pipefail', '-c', rewritten(block)]
      const { code, stdout, stderr } = await run('bash', script, { cwd: pathOf(''), env: environment })
      expect(code, `${block}\n${stdout}\n${stderr}`).toBe(0)
      return stdout
    })
  }

  private constructor(text: string, paste: (block: string) => Promise<string>) {
    this.#paste = paste
    const sections = text.split(/^## /m).slice(1)
    this.#blocks = new Map(
      sections.map((section) => [
        section.slice(0, section.indexOf('\n')),
        [...section.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block = '']) => block),
      ]),
    )
  }

  /** A block of a section, which begins in this way. */
  block(section: string, beginning: string): string {
    const blocks = this.#blocks.get(section) ?? []
    const found = blocks.filter((block) => block.startsWith(beginning))
    expect(found, `blocks of "${section}" that begin with "${beginning}"`).toHaveLength(1)
    return found.join('')
  }

  /** Pastes it, and returns what it prints once all its commands have succeeded. */
  async follow(section: string, beginning: string): Promise<string> {
    const block = this.block(section, beginning)
    this.#followed.add(block)
    return this.#paste(block)
  }

  /** Those that nobody has followed. */
  get ignored(): readonly string[] {
    return [...this.#blocks.values()].flat().filter((block) => !this.#followed.has(block))
  }
}

/**
 * Of somebody who has kubectl, Helm and `portcullis`, and the bed as the cluster. There is no registry, and the nodes have the images:
 * `podman` only says what it was asked for.
 */
async function shellEnvironment(bed: NodesHandle): Promise<Readonly<Record<string, string>>> {
  const bin = await mkdtemp(join(tmpdir(), 'portcullis-guide-'))
  onTestFinished(() => rm(bin, { recursive: true }))
  await symlink(bed.binaries.kubectl, join(bin, 'kubectl'))
  await symlink(join(await helmDirectory(), 'helm'), join(bin, 'helm'))
  const cli = `exec '${process.execPath}' --import '${pathOf('node_modules/tsx/dist/loader.mjs')}' '${pathOf('packages/cli/src/main.ts')}' "$@"`
  const programs = { portcullis: cli, podman: `echo podman "$@"` }
  for (const [name, command] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${command}\n`)
    await chmod(join(bin, name), 0o755)
  }
  return {
    PATH: `${bin}:${process.env['PATH']}`,
    KUBECONFIG: bed.kubeconfigPath,
    KUBECACHEDIR: join(bin, 'kubectl-cache'),
    KUBERC: 'off',
  }
}
