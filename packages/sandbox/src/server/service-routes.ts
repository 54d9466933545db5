import type { Route } from './api-server.ts'

/** As which Kubernetes the sandbox presents itself: the one that it is held to. */
const gitVersion = 'v1.36.3'

const version = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'portcullis/sandbox',
}

/** `/version`, and the three questions whether it is well. */
export const serviceRoutes: Route = ({ method, path, query }) => {
  if (method !== 'GET') return undefined
  if (path === '/version' || path === '/version/') {
    return { code: 200, text: JSON.stringify(version, undefined, 2), contentType: 'application/json' }
  }
  if (!['/healthz', '/livez', '/readyz'].includes(path)) return undefined
  const isVerbose = query.has('verbose')
  return { code: 200, text: isVerbose ? `[+]ping ok\n${path.slice(1)} check passed\n` : 'ok' }
}
