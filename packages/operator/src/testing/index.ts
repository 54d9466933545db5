// What tests of other packages may use.

export { anIngressController } from './a-snapshot.ts'
export { asApplied } from './as-applied.ts'
export { hostilePods, type Loose, volume } from './hostile-pods.ts'
export { aNode } from './nodes.ts'
export { Scene } from './scene.ts'
