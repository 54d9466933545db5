import { readFile } from 'node:fs/promises'
import type { CommandIO } from './command-io.ts'

/**
 * The text of a file, or of standard input where the file is `-`.
 *
 * @param what the file should be, for the error: "an install-config.yaml"
 */
export async function readText(
  io: Pick<CommandIO, 'readInput'>,
  file: string,
  what: string,
): Promise<string> {
  let bytes: Uint8Array
  try {
    bytes = file === '-' ? await io.readInput() : await readFile(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = {
      ENOENT: 'no such file',
      EISDIR: 'it is a directory',
      EACCES: 'permission denied',
    }[code ?? '']
    throw new Error(`Cannot read ${file}: ${reason ?? message}; name ${what}, or - for standard input.`, {
      cause: error,
    })
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Error(`Cannot read ${file}: it is not UTF-8 text; name ${what}.`, { cause: error })
  }
}
