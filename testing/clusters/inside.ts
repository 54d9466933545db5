/** How a command is run elsewhere: the command and arguments that run it there, as in another network namespace. */
export type Inside = (
  command: string,
  args: readonly string[],
) => readonly [command: string, args: readonly string[]]
