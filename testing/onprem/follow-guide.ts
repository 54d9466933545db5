import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loopbackNetwork } from '@portcullis/onprem/testing'

const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))
const tsx = fileURLToPath(new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url))
const fence = /^```(sh|text)\n(.*?)^```$/gms
const guides = '127.0.2.'
const mark = '@@@ end of a block'

/**
 * Follows a guide as a reader would: runs its blocks of shell one after another in one shell and one directory.
 *
 * Its loopback addresses become others: another run may be following it on this machine.
 *
 * @param programs where programs are that are not on the PATH
 * @returns the guide with what the commands printed in the blocks of text that follow them
 */
export async function follow(guide: string, directory: string, programs = '/usr/sbin'): Promise<string> {
  const blocks = [...guide.matchAll(fence)]
  const script = blocks.map(([, kind, text]) => (kind === 'sh' ? `${text}echo '${mark}'\n` : '')).join('')
  const ours = loopbackNetwork().address(0).replace(/0$/, '')
  const output = await run(script.replaceAll(guides, ours), directory, programs)
  const outputs = output.replaceAll(ours, guides).split(`${mark}\n`)
  let next = 0
  let last = ''
  return guide.replaceAll(fence, (block, kind: string) => {
    if (kind === 'sh') {
      last = outputs[next++] ?? ''
      return block
    }
    return `\`\`\`text\n${last}\`\`\``
  })
}

/** In a process group of its own, so that what the guide starts ends with it, however it ends. */
async function run(script: string, directory: string, programs: string): Promise<string> {
  const bin = join(directory, 'bin')
  await mkdir(bin)
  await writeFile(
    join(bin, 'portcullis'),
    `#!/bin/sh\nexec '${process.execPath}' --import '${tsx}' '${main}' "$@"\n`,
  )
  await chmod(join(bin, 'portcullis'), 0o755)
  const env = {
    ...process.env,
    PATH: `${bin}:${programs}:${process.env['PATH']}`,
    PORTCULLIS_TOKEN: undefined,
  }
  const shell = spawn('bash', ['-eu', '-c', script], { cwd: directory, env, detached: true })
  let [output, errorOutput] = ['', '']
  shell.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  shell.stderr.on('data', (chunk: Buffer) => {
    errorOutput += chunk.toString()
  })
  const [code] = (await once(shell, 'exit')) as [number | null]
  try {
    process.kill(-(shell.pid ?? 0), 'SIGKILL')
  } catch {
    // Everything has ended by itself.
  }
  if (code !== 0) throw new Error(`The guide ends with ${code}:\n${output}\n${errorOutput}`)
  return output
}
