/** For tests of src/kube, which must not know the sandbox. */
export { certificateAuthority } from '../src/sandbox/certificates.ts'
