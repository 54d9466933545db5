import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'

/** What a file is read from that is called -. */
export interface StandardInput {
  readonly stdin: AsyncIterable<Uint8Array>
}

/** @throws a sentence that names the file and why it cannot be read */
export async function readInstallConfigFile(file: string, { stdin }: StandardInput): Promise<string> {
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
    throw new Error(
      `Cannot read ${file}: ${reason ?? message}; name an install-config.yaml, or - for standard input.`,
      {
        cause: error,
      },
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Error(`Cannot read ${file}: it is not text in UTF-8; name an install-config.yaml.`, {
      cause: error,
    })
  }
}
