import { inject } from 'vitest'
import type { AwsCoordinates } from './aws-cluster.ts'

/** A cluster on AWS, or why there is none. */
export type SharedAws =
  | { readonly cluster: AwsCoordinates; readonly missing?: undefined }
  | { readonly cluster?: undefined; readonly missing: string }

declare module 'vitest' {
  export interface ProvidedContext {
    aws: SharedAws
  }
}

/** What all test files of the project `aws` share; undefined in other projects. */
export function sharedAws(): SharedAws | undefined {
  return inject('aws')
}
