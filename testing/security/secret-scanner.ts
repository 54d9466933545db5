import { randomBytes } from 'node:crypto'

/** Finds secrets in text, however they are encoded. */
export class SecretScanner {
  readonly #secrets = new Map<string, string>()

  /** Keeps a secret that is what it is. */
  keep(name: string, secret: string): string {
    this.#secrets.set(name, secret)
    return secret
  }

  /** Makes one up. */
  make(name: string): string {
    return this.keep(name, `confidential-${randomBytes(18).toString('hex')}`)
  }

  /** The names of those that stand in a text: as they are, encoded, or the better half of them. */
  foundIn(text: string): string[] {
    return [...this.#secrets].flatMap(([name, secret]) =>
      formsOf(secret).some((form) => text.includes(form)) ? [name] : [],
    )
  }
}

function formsOf(secret: string): string[] {
  const half = Math.ceil(secret.length / 2)
  return [
    secret,
    secret.slice(0, half),
    secret.slice(-half),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    // What surrounds it shifts base64 by up to two characters.
    ...[0, 1, 2].map((shift) =>
      Buffer.from(`${'x'.repeat(shift)}${secret}`)
        .toString('base64')
        .slice(4, -4),
    ),
  ]
}
