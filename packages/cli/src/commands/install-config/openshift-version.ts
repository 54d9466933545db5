import { InvalidArgumentError } from 'commander'

/** Parses the minor version of an OpenShift 4 release. */
export function parseRelease(text: string): number {
  const [, minor] = /^v?4\.(\d{1,3})(?:\.\S+)?$/.exec(text) ?? []
  if (minor === undefined) throw new InvalidArgumentError('It must be a release such as 4.16 or 4.16.3.')
  return Number(minor)
}
