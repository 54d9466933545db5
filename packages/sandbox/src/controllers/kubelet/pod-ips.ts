/** Addresses of pods: unique while in use, from 10.244.0.0/16. */
export class PodIps {
  #next = 0

  /** The next one that is free. An address is not given again soon after its pod is gone. */
  take(inUse: (ip: string) => boolean): string {
    const size = 255 * 254
    for (let tries = 0; tries < size; tries++) {
      const index = this.#next
      this.#next = (this.#next + 1) % size
      const ip = `10.244.${Math.floor(index / 254)}.${(index % 254) + 1}`
      if (!inUse(ip)) return ip
    }
    throw new Error('No address is free for a further pod: all of 10.244.0.0/16 is in use.')
  }
}
