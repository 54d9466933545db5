// `npm run build:control-plane`: builds the programs of the real control plane where the cache does not have them, and brings
// the Node of the image. To be run before two control planes are started side by side, so that neither builds for both.
import { controlPlaneBinaries } from './binaries.ts'
import { imageNodejs } from './nodejs/image-nodejs.ts'

const log = (line: string) => console.log(line)
await controlPlaneBinaries(log)
await imageNodejs(log)
