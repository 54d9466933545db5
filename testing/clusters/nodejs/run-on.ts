import { spawn } from 'node:child_process'
import { shellCode } from '../run-command.ts'
import type { Nodejs } from './image-nodejs.ts'

/** Runs a script as this process runs its own, but on another Node; what it prints is seen. Its exit code. */
export async function runOn({ path }: Nodejs, script: readonly string[]): Promise<number> {
  const child = spawn(path, [...process.execArgv, ...script], { stdio: 'inherit' })
  // Ctrl-C reaches both by itself.
  const end = () => {
    child.kill('SIGTERM')
    process.exit(shellCode('SIGTERM'))
  }
  process.once('SIGTERM', end)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, killedBy) => resolve(code ?? shellCode(killedBy)))
    })
  } finally {
    process.off('SIGTERM', end)
  }
}
