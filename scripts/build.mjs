// Bundles the command line into dist/portcullis.js; the dependencies stay in node_modules.
import { chmod, rm } from 'node:fs/promises'
import { build } from 'esbuild'

const outfile = 'dist/portcullis.js'

await rm('dist', { recursive: true, force: true })
await build({
  entryPoints: ['src/cli/main.ts'],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  sourcemap: true,
  banner: { js: '#!/usr/bin/env node' },
})
await chmod(outfile, 0o755)
