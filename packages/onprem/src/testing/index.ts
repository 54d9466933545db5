// What tests of other packages may use.

export { aNode, ip, ofBothFamilies, vips } from './a-node.ts'
export { loopbackNetwork } from './loopback.ts'
