import { run } from './run-command.ts'

/** What to start instead of a program, so that it runs somewhere else: in a network namespace, or on a node. */
export type Inside = (
  command: string,
  args: readonly string[],
) => readonly [command: string, args: readonly string[]]

/** Where this process runs itself. */
export const here: Inside = (command, args) => [command, args]

/** In the network namespace of a process, with the files and users of this one. */
export function inNetworkOf(pid: number): Inside {
  return (command, args) => ['nsenter', [`--net=/proc/${pid}/ns/net`, command, ...args]]
}

/** What a program prints that must succeed. */
export async function mustInside(
  inside: Inside,
  command: string,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const { code, stdout, stderr } = await run(...inside(command, args), input === undefined ? {} : { input })
  if (code !== 0) throw new Error(`"${[command, ...args].join(' ')}" failed:\n${stderr}${stdout}`)
  return stdout
}
