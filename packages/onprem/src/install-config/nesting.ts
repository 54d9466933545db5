import { Lexer } from 'yaml'

/**
 * How deeply a text is nested, computed without recursion: the parser does recurse, and a file of nothing but
 * brackets would take the whole process with it.
 */
export function depthOf(text: string): number {
  return depthOfBrackets(text) + depthOfIndentation(text)
}

function depthOfBrackets(text: string): number {
  let [depth, deepest] = [0, 0]
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') depth += 1
    if (token === ']' || token === '}') depth -= 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

/** Each column at which something begins is a level, until a line begins at or before it. */
function depthOfIndentation(text: string): number {
  const columns: number[] = []
  let deepest = 0
  for (const line of text.split('\n')) {
    const [lead = ''] = /^[ \t]*(?:[-?:][ \t]+)*/.exec(line) ?? []
    if (line.trim() === '') continue
    const starts = [...lead.matchAll(/[-?:]/g)].map(({ index }) => index)
    const [first = lead.length] = starts
    while ((columns.at(-1) ?? -1) >= first) columns.pop()
    columns.push(...starts, lead.length)
    deepest = Math.max(deepest, columns.length)
  }
  return deepest
}
