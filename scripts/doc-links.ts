// What the documentation names and links to must be there: `npm run check:links`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { filesUnder, type SourceFile } from './workspace.ts'

/** Folders of the repository: whatever begins with one of them is a path, and can be checked. */
const folders = ['packages', 'testing', 'scripts', 'docs', 'bench', 'deploy', 'examples', '.github', '.ci']

/** Stands for something else, as in `packages/<name>`, `packages/NAME` or `packages/*`. */
const placeholder = /[*…<>{}$]|[A-Z]{4}/

/**
 * Paths that a page names and that do not exist: in backticks, seen from the root, or as `src/…` from the package that the
 * page is about; in links, seen from the page.
 */
export function missingPaths(
  { path, text }: SourceFile,
  exists: (path: string) => boolean,
): readonly string[] {
  const isOfPackage = path.startsWith('packages/')
  const named = [...text.matchAll(/`([^`\n]+)`/g)]
    .flatMap(([, code = '']) => code.split(/[\s'"]+/))
    .map((word) => word.replace(/[,;:.)]+$/, '').replace(/:\d+(-\d+)?$/, ''))
    .map((word) => (isOfPackage && word.startsWith('src/') ? join(dirname(path), word) : word))
    .filter((word) => folders.some((folder) => word.startsWith(`${folder}/`)) && !placeholder.test(word))
  const linked = linksIn(text)
    .filter(({ target }) => target !== '')
    .map(({ target }) => fromRoot(path, target))
  return [...new Set([...named, ...linked])]
    .filter((each) => !exists(each))
    .map((each) => `${path} names ${each}, which does not exist.`)
}

/** Headings that pages link to and that the page linked to does not have. */
export function missingAnchors(pages: readonly SourceFile[]): readonly string[] {
  const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]))
  return pages.flatMap(({ path, text }) =>
    linksIn(text)
      .filter(({ anchor }) => anchor !== '')
      .map(({ target, anchor }) => ({ page: target === '' ? path : fromRoot(path, target), anchor }))
      .filter(({ page, anchor }) => anchors.get(page)?.has(anchor) === false)
      .map(({ page, anchor }) => `${path} links to ${page}#${anchor}, and there is no such heading.`),
  )
}

/** Links within the repository. */
function linksIn(text: string): { readonly target: string; readonly anchor: string }[] {
  return [...text.matchAll(/\]\(([^)\s#]*)#?([^)\s]*)\)/g)]
    .map(([, target = '', anchor = '']) => ({ target, anchor }))
    .filter(({ target }) => !/^[a-z]+:/.test(target))
}

function fromRoot(page: string, target: string): string {
  return relative('.', resolve(dirname(page), target))
}

/** As GitHub makes them of headings, and those that stand in the page as `<a id="…">`. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)
  const ofHeadings = [...headings].map(([, title = '']) =>
    title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
  const explicit = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
  return new Set([...ofHeadings, ...explicit])
}

/** Every page of this checkout. */
export function readPages(): readonly SourceFile[] {
  const inRoot = readdirSync('.').filter((name) => name.endsWith('.md'))
  const ofPackages = readdirSync('packages').map((name) => join('packages', name, 'README.md'))
  const named = [...inRoot, ...ofPackages].filter((path) => existsSync(path))
  return [
    ...named.map((path) => ({ path, text: readFileSync(path, 'utf8') })),
    ...['docs', 'testing'].flatMap((folder) => filesUnder(folder, '.md')),
  ]
}
