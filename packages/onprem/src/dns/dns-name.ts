const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

/** A single part of a name, as Kubernetes and the installer take it: small letters, digits, and hyphens within. */
export function isDnsLabel(text: string): boolean {
  return label.test(text)
}

/** A name without a dot at its end. */
export function isDnsName(text: string): boolean {
  return text.length <= 253 && text.split('.').every(isDnsLabel)
}
