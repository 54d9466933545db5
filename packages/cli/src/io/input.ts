import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'

/** Where a command reads what was named `-`. */
export interface Input {
  readonly stdin: AsyncIterable<Uint8Array>
}

/** The text of a file, or of standard input; `what` is what the file should be, such as "an install-config.yaml". */
export async function readInput(file: string, { stdin }: Input, what: string): Promise<string> {
  let bytes: Uint8Array
  try {
    bytes = file === '-' ? await buffer(stdin) : await readFile(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = {
      ENOENT: 'there is no such file',
      EISDIR: 'it is a directory',
      EACCES: 'you may not read it',
    }[code ?? '']
    throw new Error(`Cannot read ${file}: ${reason ?? message}; name ${what}, or - for standard input.`, {
      cause: error,
    })
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Error(`Cannot read ${file}: it is not text in UTF-8; name ${what}.`, { cause: error })
  }
}
