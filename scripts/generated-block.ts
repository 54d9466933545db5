/** A page with one of its generated blocks replaced: what stands between the two comments that name it. */
export function withGeneratedBlock(page: string, name: string, block: string): string {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end of generated: ${name} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`The page has no lines "${begin}" and "${end}".`)
  return `${page.slice(0, from + begin.length)}\n${block}\n${page.slice(to)}`
}
