// What tests of other packages may use.

export { anIngressController } from './a-snapshot.ts'
export { asApplied } from './as-applied.ts'
export { evils, type Loose, volume } from './evil-pods.ts'
export { aNode } from './nodes.ts'
export { Scene } from './scene.ts'
