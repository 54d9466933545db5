// `npm run build:control-plane`: builds the programs of the real control plane where the cache does not have them, and brings
// the Node of the image. Whoever starts two control planes side by side does this before, so that neither builds for both.
import { controlPlaneBinaries } from './binaries.ts'
import { imageNodejs } from './nodejs/image-nodejs.ts'

const log = (line: string) => console.log(line)
await controlPlaneBinaries(log)
await imageNodejs(log)
