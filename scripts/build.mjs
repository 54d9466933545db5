// Bundles the command line. Without options: dist/portcullis.js, and beside it, loaded by the commands that need it, the
// sandbox; the dependencies stay in node_modules. With --standalone: dist/portcullis.mjs, a single file that needs
// nothing but Node and holds no sandbox. That is what goes into the image.
import { readFileSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

const { values } = parseArgs({ options: { standalone: { type: 'boolean', default: false } } })
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

// Some dependencies are CommonJS, and expect a `require` that modules do not have.
const requireForDependencies =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

const common = { bundle: true, platform: 'node', format: 'esm', target: 'node20.19' }

if (values.standalone) {
  await build({
    ...common,
    entryPoints: ['packages/cli/src/main.ts'],
    outfile: 'dist/portcullis.mjs',
    external: ['@portcullis/sandbox'],
    minify: true,
    banner: { js: `#!/usr/bin/env node\n${requireForDependencies}` },
  })
  await chmod('dist/portcullis.mjs', 0o755)
} else {
  await rm('dist', { recursive: true, force: true })
  await build({
    ...common,
    entryPoints: { portcullis: 'packages/cli/src/main.ts' },
    outdir: 'dist',
    chunkNames: '[name]-[hash]',
    splitting: true,
    external: Object.keys(dependencies),
    sourcemap: true,
    banner: { js: '#!/usr/bin/env node' },
  })
  await chmod('dist/portcullis.js', 0o755)
}
