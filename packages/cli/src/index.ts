export { type CommandIO, commandIO } from './io/command-io.ts'
export { runPortcullis } from './portcullis.ts'
