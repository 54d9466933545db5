import type { Environment } from '@marcbachmann/cel-js'
import { registerAddresses } from './library/addresses.ts'
import { registerFormats } from './library/formats.ts'
import { registerLists } from './library/lists.ts'
import { registerQuantities } from './library/quantities.ts'
import { registerStrings } from './library/strings.ts'
import { registerUrls } from './library/urls.ts'
import { registerVersions } from './library/versions.ts'

/** What Kubernetes adds to CEL, under the names that `translate` gives it. */
export function registerLibrary(env: Environment): void {
  registerAddresses(env)
  registerUrls(env)
  registerQuantities(env)
  registerVersions(env)
  registerFormats(env)
  registerStrings(env)
  registerLists(env)
}
