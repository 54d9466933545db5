/** An element of an XML document. It has children or text, never both: so answers AWS. */
export interface XmlElement {
  readonly name: string
  readonly children: readonly XmlElement[]
  readonly text: string
}

/** A tag that opens, closes or does both, or the text between two. */
const tokens = /<\?.*?\?>|<(?<close>\/?)(?<name>[\w:.-]+)[^>]*?(?<empty>\/?)>|(?<text>[^<]+)/gs

/** Reads as much of XML as AWS speaks: no comments, no CDATA; attributes are skipped. */
export function readXml(document: string): XmlElement {
  const root = { name: '', children: [] as XmlElement[], text: '' }
  const open = [root]
  for (const { groups = {} } of document.matchAll(tokens)) {
    const { close, name, empty, text } = groups
    const parent = open.at(-1) ?? root
    if (text !== undefined) parent.text += decoded(text)
    else if (close === '/') open.pop()
    else if (name !== undefined) {
      const element = { name, children: [] as XmlElement[], text: '' }
      parent.children.push(element)
      if (empty !== '/') open.push(element)
    }
  }
  const [first] = root.children
  if (first === undefined || open.length !== 1) throw new Error(`This is no XML document: ${document}`)
  return first
}

/** The element that these names lead to; undefined where there is none. */
export function find(element: XmlElement, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (at, name) => at?.children.find((child) => child.name === name),
    element,
  )
}

/** The text at the end of a path, which must be there. */
export function textAt(element: XmlElement, ...path: readonly string[]): string {
  const found = find(element, ...path)
  if (found === undefined) throw new Error(`There is no <${path.join('> <')}> in <${element.name}>.`)
  return found.text
}

/** What a list at the end of a path has in it; nothing where there is no such list. */
export function listAt(element: XmlElement, ...path: readonly string[]): readonly XmlElement[] {
  return find(element, ...path)?.children ?? []
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function decoded(text: string): string {
  return text.replaceAll(/&(#\d+|\w+);/g, (whole, name: string) =>
    name.startsWith('#') ? String.fromCodePoint(Number(name.slice(1))) : (entities[name] ?? whole),
  )
}
