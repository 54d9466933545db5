// Bundles the command line. Without options: dist/portcullis.js, and beside it, loaded by the commands that need it, the
// sandbox; the dependencies stay in node_modules. With --standalone: dist/portcullis.mjs, a single file that needs
// nothing but Node and holds no sandbox. That is what goes into the image.
import { readFileSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

const { values } = parseArgs({
  options: {
    standalone: { type: 'boolean', default: false },
    outdir: { type: 'string', default: 'dist' },
    // Where to write what went into which file, for tests.
    metafile: { type: 'string' },
  },
})
const { standalone, outdir, metafile } = values
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

// Some dependencies are CommonJS, and expect a `require` that modules do not have.
const requireForDependencies =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

const common = { bundle: true, platform: 'node', format: 'esm', target: 'node20.19', metafile: true }

if (!standalone) await rm(outdir, { recursive: true, force: true })
const result = await build(
  standalone
    ? {
        ...common,
        entryPoints: ['packages/cli/src/main.ts'],
        outfile: join(outdir, 'portcullis.mjs'),
        external: ['@portcullis/sandbox'],
        minify: true,
        banner: { js: `#!/usr/bin/env node\n${requireForDependencies}` },
      }
    : {
        ...common,
        entryPoints: { portcullis: 'packages/cli/src/main.ts' },
        outdir,
        chunkNames: '[name]-[hash]',
        splitting: true,
        external: Object.keys(dependencies),
        sourcemap: true,
        banner: { js: '#!/usr/bin/env node' },
      },
)
await chmod(join(outdir, standalone ? 'portcullis.mjs' : 'portcullis.js'), 0o755)
if (metafile !== undefined) await writeFile(metafile, JSON.stringify(result.metafile))
