/** Prints what a story came to, as a line that `npm run proof` keeps for docs/reliability.md. */
export function printFigures(story: string, ...figures: readonly string[]): void {
  console.log(`${story}: ${figures.join(', ')}`)
}

export function inSeconds(seconds: number): string {
  return `${seconds.toFixed(1)} s`
}
