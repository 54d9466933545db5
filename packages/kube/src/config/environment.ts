import { homedir } from 'node:os'
import { isatty } from 'node:tty'

/** What the process's environment has about reaching a cluster; passed in, so that tests can make one up. */
export interface Environment {
  /** Environment variables; also what credential plugins inherit. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDirectory: string
  /** Whether a person sits at standard input, whom a credential plugin may ask. */
  readonly isTerminal: boolean
  /** Where a credential plugin's messages appear while it runs ("open this page to log in"); nowhere if absent. */
  readonly stderr?: { write(chunk: Uint8Array): unknown }
  /** Where Kubernetes mounts the service account of a pod, if not in the usual place. */
  readonly serviceAccountDirectory?: string
}

/** The environment of this process. */
export function environmentOf(process: NodeJS.Process): Environment {
  return {
    env: process.env,
    homeDirectory: homedir(),
    isTerminal: isatty(process.stdin.fd),
    stderr: process.stderr,
  }
}
