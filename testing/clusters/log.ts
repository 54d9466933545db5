/** Takes one line at a time of what a person who waits wants to know. */
export type Log = (line: string) => void

export const silent: Log = () => {}
