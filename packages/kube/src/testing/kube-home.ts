import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'vitest'
import type { ClusterAccess } from '../config/access.ts'
import type { Environment } from '../config/environment.ts'
import { type AccessOptions, loadClusterAccess } from '../config/load-access.ts'
import { silentLogger } from '../log.ts'
import { VirtualClock } from './virtual-clock.ts'

/** A person's home directory with kubeconfig files, certificates and credential plugins in it: real files, made for one test. */
export class KubeHome {
  readonly directory: string
  readonly clock = new VirtualClock()

  constructor(directory: string) {
    this.directory = directory
  }

  path(...parts: string[]): string {
    return join(this.directory, ...parts)
  }

  async write(name: string, content: string | object): Promise<string> {
    const path = this.path(name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))
    return path
  }

  /** A plugin that is run by its own path or name. The body is an ES module. */
  async writeProgram(name: string, body: string): Promise<string> {
    const path = await this.write(name, `#!${process.execPath}\n${body}`)
    await chmod(path, 0o755)
    return path
  }

  /** The lines of a file; none while it does not exist. */
  async lines(name: string): Promise<string[]> {
    const text = await readFile(this.path(name), 'utf8').catch(() => '')
    return text.split('\n').filter((line) => line !== '')
  }

  environment(overrides: Partial<Environment> = {}): Environment {
    return {
      env: { PATH: process.env['PATH'] },
      homeDirectory: this.directory,
      isTerminal: false,
      serviceAccountDirectory: this.path('no-service-account'),
      ...overrides,
    }
  }

  /** Loads as the program would, with ~/.kube/config unless the options say otherwise. */
  load(options: Partial<AccessOptions> = {}): Promise<ClusterAccess> {
    return loadClusterAccess({
      environment: this.environment(),
      clock: this.clock,
      log: silentLogger,
      ...options,
    })
  }

  /** Writes ~/.kube/config with one context, and loads it. */
  async loadWith(parts: Parameters<typeof aKubeconfig>[0], options: Partial<AccessOptions> = {}) {
    await this.write('.kube/config', aKubeconfig(parts))
    return this.load(options)
  }
}

export const it = test.extend<{ home: KubeHome }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern which fixtures are needed: none
  home: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'portcullis-home-'))
    await use(new KubeHome(directory))
    await rm(directory, { recursive: true, force: true })
  },
})

/** A kubeconfig with the one context "prod": user "ann" on cluster "east". */
export function aKubeconfig({
  cluster = {},
  user = {},
  context = {},
}: {
  cluster?: object
  user?: object
  context?: object
}) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'prod',
    contexts: [{ name: 'prod', context: { cluster: 'east', user: 'ann', ...context } }],
    clusters: [{ name: 'east', cluster: { server: 'https://east.example:6443', ...cluster } }],
    users: [{ name: 'ann', user }],
  }
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
