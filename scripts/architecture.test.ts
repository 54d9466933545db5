import { expect, test } from 'vitest'
import { architectureProblems, arrowsOf, packagesBlock, withPackagesBlock } from './architecture.ts'
import { importsOf, type Workspace } from './workspace.ts'

/** Packages `cli → operator → kube`, with something added to the imports and dependencies of `operator`. */
function aWorkspace(
  changes: {
    readonly specifier?: string
    readonly path?: string
    readonly dependency?: readonly [string, string]
    readonly rootDependencies?: Readonly<Record<string, string>>
  } = {},
): Workspace {
  const { specifier, path = 'packages/operator/src/operator.ts', dependency } = changes
  const ours = (name: string) => ({ [`@portcullis/${name}`]: '0.1.0' })
  return {
    packages: [
      {
        name: 'operator',
        description: 'The operator.',
        dependencies: {
          ...ours('kube'),
          zod: '4.6.7',
          ...(dependency && Object.fromEntries([dependency])),
        },
        imports: [
          { path: 'packages/operator/src/operator.ts', specifier: '@portcullis/kube' },
          ...(specifier === undefined ? [] : [{ path, specifier }]),
        ],
      },
      { name: 'kube', description: 'Kubernetes for Node.', dependencies: {}, imports: [] },
      {
        name: 'cli',
        description: 'The command.',
        dependencies: { ...ours('operator') },
        imports: [{ path: 'packages/cli/src/main.ts', specifier: '@portcullis/operator' }],
      },
    ],
    rootDependencies: changes.rootDependencies ?? { zod: '4.6.7' },
  }
}

test('Every form of import counts as one', () => {
  const text = [
    `import { a } from './a.ts'`,
    `import type { B } from 'b'`,
    `export { c } from 'c/deep'`,
    `export * from 'd'`,
    `const e = await import('e')`,
    `type F = import('f').F`,
    `let g: typeof import('g')`,
    `import 'h'`,
    `const source = 'not an import'`,
  ].join('\n')
  expect(importsOf({ path: 'some.ts', text }).map(({ specifier }) => specifier)).toEqual([
    './a.ts',
    'b',
    'c/deep',
    'd',
    'e',
    'f',
    'g',
    'h',
  ])
})

test('An arrow goes from a package to each package that its product code imports', () => {
  expect(arrowsOf(aWorkspace())).toEqual([
    { from: 'operator', to: 'kube' },
    { from: 'cli', to: 'operator' },
  ])
})

test('Packages that import what they list contradict nothing', () => {
  expect(architectureProblems(aWorkspace())).toEqual([])
  for (const specifier of ['node:fs', 'zod/v4', './ingress/decide.ts', '../package.json'])
    expect(architectureProblems(aWorkspace({ specifier })), specifier).toEqual([])
})

test.each([
  [{ specifier: 'yaml' }, 'which is not in the dependencies of packages/operator/package.json'],
  [{ specifier: '../../kube/src/client.ts' }, 'which is outside its package'],
  [{ specifier: './testing/scene.ts' }, 'which only tests may import'],
  [{ specifier: './decide.test.ts' }, 'which only tests may import'],
  [{ specifier: '@portcullis/operator' }, 'imports its own package'],
  [{ specifier: '@portcullis/kube/testing' }, 'which only tests, benchmarks and scripts may import'],
  [
    { specifier: '@portcullis/kube/internal/client.ts' },
    'which only tests, benchmarks and scripts may import',
  ],
  [{ dependency: ['@portcullis/schema', '0.1.0'] as const }, 'which no product code of it imports'],
  [
    { specifier: '@portcullis/cli', dependency: ['@portcullis/cli', '0.1.0'] as const },
    'in a circle: operator → cli → operator',
  ],
  [{ dependency: ['yaml', '2.9.1'] as const }, 'package.json of the root has none'],
  [{ rootDependencies: { zod: '4.0.0' } }, 'package.json of the root has 4.0.0'],
  [{ rootDependencies: { zod: '4.6.7', pino: '10.4.0' } }, 'on pino, which no package does'],
])('The contradiction %j is named', (changes, problem) => {
  expect(architectureProblems(aWorkspace(changes))).toEqual([expect.stringContaining(problem)])
})

test('The picture has a line for each package, above those that it imports, and every arrow', () => {
  const block = packagesBlock(aWorkspace())
  expect(block.match(/^\| `.*/gm)).toEqual([
    '| `packages/cli` | The command. | `operator` |',
    '| `packages/operator` | The operator. | `kube` |',
    '| `packages/kube` | Kubernetes for Node. | none |',
  ])
  expect(block.match(/^ {2}.*/gm)).toEqual(['  operator --> kube', '  cli --> operator'])
})

test('The picture replaces what stands between its marks, and nothing else of the page', () => {
  const page = (block: string) =>
    `# Title\n\n<!-- generated: packages -->\n${block}\n<!-- end of generated: packages -->\n\nMore.\n`
  expect(withPackagesBlock(page('old\nlines'), 'new')).toBe(page('new'))
  expect(() => withPackagesBlock('# Title', 'new')).toThrow('has no lines')
})
