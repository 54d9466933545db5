import { defineConfig } from 'vitest/config'
export default defineConfig({ root: '/work/main', test: { include: ['test/e2e-crash/**/*.test.ts'] } })
