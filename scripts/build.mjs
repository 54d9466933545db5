// Bundles the command line into dist/portcullis.js; the dependencies stay in node_modules. With --standalone it makes
// dist/portcullis.mjs instead, a single file that needs nothing but Node: that is what goes into the image.
import { chmod, rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

const { values } = parseArgs({ options: { standalone: { type: 'boolean', default: false } } })

// Some dependencies are CommonJS, and expect a `require` that modules do not have.
const requireForDependencies =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

const outfile = values.standalone ? 'dist/portcullis.mjs' : 'dist/portcullis.js'

if (!values.standalone) await rm('dist', { recursive: true, force: true })
await build({
  entryPoints: ['src/cli/main.ts'],
  outfile,
  bundle: true,
  ...(values.standalone ? { minify: true } : { packages: 'external', sourcemap: true }),
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  banner: { js: `#!/usr/bin/env node\n${values.standalone ? requireForDependencies : ''}` },
})
await chmod(outfile, 0o755)
