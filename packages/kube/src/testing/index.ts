// What tests of other packages may use. The campaigns load it too, outside of vitest: what needs vitest is in
// `@portcullis/kube/testing/kube-home`.

export { emptyCaches } from './empty-caches.ts'
export { type LocalServer, startHttpServer } from './http-server.ts'
export { settle, VirtualClock } from './virtual-clock.ts'
