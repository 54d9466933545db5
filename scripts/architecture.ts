// Who imports whom: what contradicts the package.json files, for `npm run check:architecture`, and the picture of it, which
// `npm run generate` writes into docs/architecture.md.
import { dirname, resolve } from 'node:path'
import { type Import, isProduct, type Workspace, type WorkspacePackage } from './workspace.ts'

export interface Arrow {
  readonly from: string
  readonly to: string
}

const scope = '@portcullis/'

/** `@portcullis/kube/testing` and `zod/v4` belong to the packages `@portcullis/kube` and `zod`. */
function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

/** Which packages the product code of each package imports. */
export function arrowsOf({ packages }: Pick<Workspace, 'packages'>): readonly Arrow[] {
  return packages.flatMap(({ name, imports }) => {
    const imported = imports.map(({ specifier }) => packageOf(specifier))
    const ours = imported.filter((each) => each.startsWith(scope)).map((each) => each.slice(scope.length))
    return [...new Set(ours)]
      .filter((to) => to !== name)
      .toSorted()
      .map((to) => ({ from: name, to }))
  })
}

/** Every way in which the code and the package.json files contradict each other. */
export function architectureProblems(workspace: Workspace): readonly string[] {
  const arrows = arrowsOf(workspace)
  return [
    ...workspace.packages.flatMap((each) => each.imports.flatMap((one) => importProblems(one, each))),
    ...unusedProblems(workspace, arrows),
    ...cycleProblems(arrows),
    ...rootProblems(workspace),
  ]
}

function importProblems({ path, specifier }: Import, { name, dependencies }: WorkspacePackage): string[] {
  if (specifier.startsWith('node:')) return []
  if (specifier.startsWith('.')) {
    const target = resolve(dirname(path), specifier)
    if (!target.startsWith(`${resolve('packages', name)}/`))
      return [`${path} imports ${specifier}, which is outside its package. Import from ${scope}… instead.`]
    return target.endsWith('.ts') && !isProduct(target)
      ? [`${path} imports ${specifier}, which only tests may import.`]
      : []
  }
  const imported = packageOf(specifier)
  if (imported === `${scope}${name}`) return [`${path} imports its own package as ${specifier}.`]
  if (imported.startsWith(scope) && /^\/(internal|testing)(\/|$)/.test(specifier.slice(imported.length)))
    return [`${path} imports ${specifier}, which only tests, benchmarks and scripts may import.`]
  return imported in dependencies
    ? []
    : [`${path} imports ${imported}, which is not in the dependencies of packages/${name}/package.json.`]
}

/** A package of ours that is listed and not imported would be an arrow that is missing in the picture. */
function unusedProblems({ packages }: Workspace, arrows: readonly Arrow[]): string[] {
  return packages.flatMap(({ name, dependencies }) =>
    Object.keys(dependencies)
      .filter((each) => each.startsWith(scope))
      .filter((each) => !arrows.some(({ from, to }) => from === name && `${scope}${to}` === each))
      .map((each) => `packages/${name}/package.json lists ${each}, which no product code of it imports.`),
  )
}

function cycleProblems(arrows: readonly Arrow[]): string[] {
  const cycles = new Map<string, string>()
  const walk = (path: readonly string[]): void => {
    for (const { to } of arrows.filter(({ from }) => from === path.at(-1))) {
      const start = path.indexOf(to)
      if (start < 0) {
        walk([...path, to])
        continue
      }
      const cycle = path.slice(start)
      const members = cycle.toSorted().join()
      if (!cycles.has(members)) cycles.set(members, [...cycle, to].join(' → '))
    }
  }
  for (const name of new Set(arrows.map(({ from }) => from))) walk([name])
  return [...cycles.values()].map((cycle) => `The packages import each other in a circle: ${cycle}.`)
}

/** The published command is one bundle: it needs all that its parts need, in the same versions. */
function rootProblems({ packages, rootDependencies }: Workspace): string[] {
  const listed = packages.flatMap(({ name, dependencies }) =>
    Object.entries(dependencies)
      .filter(([dependency]) => !dependency.startsWith(scope))
      .map(([dependency, version]) => ({ name, dependency, version })),
  )
  const different = listed
    .filter(({ dependency, version }) => rootDependencies[dependency] !== version)
    .map(
      ({ name, dependency, version }) =>
        `packages/${name} depends on ${dependency} ${version}; package.json of the root has ${rootDependencies[dependency] ?? 'none'}.`,
    )
  const needless = Object.keys(rootDependencies)
    .filter((each) => !listed.some(({ dependency }) => dependency === each))
    .map((each) => `package.json of the root depends on ${each}, which no package does.`)
  return [...different, ...needless]
}

/** A table of the packages and the arrows between them, in Markdown. */
export function packagesBlock(workspace: Workspace): string {
  const arrows = arrowsOf(workspace)
  const rows = topDown(workspace.packages, arrows).map(({ name, description }) => {
    const imports = arrows.filter(({ from }) => from === name).map(({ to }) => `\`${to}\``)
    return `| \`packages/${name}\` | ${description} | ${imports.join(', ') || 'none'} |`
  })
  const edges = arrows.map(({ from, to }) => `  ${from} --> ${to}`)
  return [
    '| package | what it is | imports |',
    '|---|---|---|',
    ...rows,
    '',
    '```mermaid',
    'graph TD',
    ...edges,
    '```',
  ].join('\n')
}

/** A package comes before those that it imports. */
function topDown(
  packages: readonly WorkspacePackage[],
  arrows: readonly Arrow[],
): readonly WorkspacePackage[] {
  const depth = (name: string, seen: readonly string[] = []): number => {
    const below = arrows.filter(({ from, to }) => from === name && !seen.includes(to))
    return 1 + Math.max(-1, ...below.map(({ to }) => depth(to, [...seen, name])))
  }
  return packages.toSorted(
    (one, other) => depth(other.name) - depth(one.name) || one.name.localeCompare(other.name),
  )
}

const [begin, end] = ['<!-- generated: packages -->', '<!-- end of generated: packages -->']

/** A page with what stands between its two marks replaced. */
export function withPackagesBlock(page: string, block: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`The page has no lines "${begin}" and "${end}".`)
  return `${page.slice(0, from + begin.length)}\n${block}\n${page.slice(to)}`
}
