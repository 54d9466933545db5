import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'

/** A test that a page of the documentation names. */
export interface NamedTest {
  readonly shown: string
  readonly path: string
  readonly title: string
}

/** [`file`](../file): “title”; “another title of the same file” */
const link = /\[`([^`]+)`\]\((?:\.\.\/)+([^)]+)\): (“[^”]+”(?:; “[^”]+”)*)/g

export function namedTestsIn(text: string): NamedTest[] {
  return [...text.matchAll(link)].flatMap(([, shown = '', path = '', titles = '']) =>
    [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ shown, path, title })),
  )
}

export async function expectToBeThere({ shown, path, title }: NamedTest): Promise<void> {
  expect(shown).toBe(path)
  // In the source a title may stand between any quotes.
  expect(await readFile(path, 'utf8')).toContain(title)
}
