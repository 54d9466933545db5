/** A promise that is resolved from outside. (`Promise.withResolvers` came with Node 22.) */
export class Deferred {
  readonly promise: Promise<void>
  #resolve: () => void = () => {}

  constructor() {
    this.promise = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  resolve(): void {
    this.#resolve()
  }
}
