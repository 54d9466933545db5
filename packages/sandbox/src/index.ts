// A cluster in a process: what other packages may use. Start with `startSandbox`.

export { cloudPlatforms } from './controllers/cloud/platforms.ts'
export { providerIds, type SandboxPlatform } from './provider-ids.ts'
export { type Sandbox, startSandbox } from './sandbox.ts'
