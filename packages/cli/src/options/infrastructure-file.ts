import { type InfrastructureObject as Infrastructure, infrastructure as schema } from '@portcullis/operator'
import { parse } from 'yaml'
import type { CommandIO } from '../io/command-io.ts'
import { readText } from '../io/read-text.ts'

const what = 'a file with an Infrastructure, as "kubectl get infrastructure cluster -o yaml" prints it'

/** An `Infrastructure` as YAML or JSON. */
export async function readInfrastructureFile(
  io: Pick<CommandIO, 'readInput'>,
  file: string,
): Promise<Infrastructure> {
  const text = await readText(io, file, what)
  let written: unknown
  try {
    written = parse(text)
  } catch (error) {
    throw new Error(`Cannot read ${file} as YAML: ${(error as Error).message}`, { cause: error })
  }
  const { kind } = Object(written) as { kind?: unknown }
  if (kind !== 'Infrastructure')
    throw new Error(`${file} holds ${typeof kind === 'string' ? `a ${kind}` : 'no object'}; name ${what}.`)
  const { success, error } = schema.safeParse(written)
  if (!success) {
    const [issue] = error.issues
    throw new Error(`${file}: ${issue?.path.join('.')}: ${issue?.message}; correct it.`)
  }
  return written as Infrastructure
}
