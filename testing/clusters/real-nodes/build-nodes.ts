// `npm run build:nodes`: what real nodes need and the machine does not have yet, from Debian's packages and from Go modules.
import { bedImages } from '../images/bed-images.ts'
import { installNodePrograms, thisMachine, whyNoRealNodes } from './requirements.ts'

const log = (line: string) => console.log(line)
const reason = whyNoRealNodes(await thisMachine())
if (reason === undefined) {
  await installNodePrograms()
  await bedImages(log)
} else {
  log(reason)
}
