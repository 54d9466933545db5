import { mkdir, readFile, writeFile } from 'node:fs/promises'

/** What a proof came to when it last passed. */
export interface ProofResult {
  /** The day, in UTC. */
  readonly on: string
  readonly minutes: number
  readonly cores: number
  readonly node: string
  readonly figures: readonly string[]
}

const folder = 'testing/proof/results'

export async function readResult(name: string): Promise<ProofResult | undefined> {
  const text = await readFile(`${folder}/${name}.json`, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as ProofResult)
}

export async function writeResult(name: string, result: ProofResult): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(`${folder}/${name}.json`, `${JSON.stringify(result, undefined, 2)}\n`)
}
