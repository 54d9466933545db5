/** Progress, with the time: benchmarks take minutes. */
export function logProgress(text: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`)
}
