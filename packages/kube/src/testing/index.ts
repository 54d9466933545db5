// What tests of other packages may use.

export { FieldAccount } from './field-account.ts'
export { type LocalServer, startHttpServer } from './http-server.ts'
export { aKubeconfig, base64, it, KubeHome } from './kube-home.ts'
export { settle, VirtualClock } from './virtual-clock.ts'
