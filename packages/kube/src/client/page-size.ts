const mebibyte = 1024 * 1024

/** A page is meant to be this long. */
const wantedBytes = mebibyte
/** What is longer is not read to its end, but asked for again in smaller pages. */
const maxBytes = 4 * mebibyte
/**
 * A list in one piece, which is asked for only when its pages have expired on the way, may be longer; but not much, for
 * its objects may take thirty times as much once they are parsed. What is longer comes in pages after all.
 */
const maxBytesWhole = 8 * mebibyte

const first = 100
const most = 500
const growth = 4
const shrinkage = 8

/**
 * How many objects to ask for in the next page of a list. Objects may be a kilobyte or a megabyte each, and any tenant
 * who may create them chooses: so pages are measured by the bytes that come.
 */
export class PageSize {
  readonly #most: number
  #limit: number

  /** @param pageSize how many at most; 0 for all in one */
  constructor(pageSize?: number) {
    this.#most = pageSize ?? most
    this.#limit = pageSize ?? first
  }

  /** The `limit` of the request; 0 is no limit. */
  get limit(): number {
    return this.#limit
  }

  /** The longest answer to be read; none is set for a single object, which cannot be had in parts. */
  get maxBytes(): number | undefined {
    if (this.#limit === 0) return maxBytesWhole
    return this.#limit === 1 ? undefined : maxBytes
  }

  /** After a page has come. */
  adapt(objects: number, bytes: number): void {
    if (this.#most === 0 || objects === 0) return
    const fitting = Math.floor((wantedBytes * objects) / bytes)
    this.#limit = Math.max(1, Math.min(fitting, this.#limit * growth, this.#most))
  }

  /** After a page that was too long; false where it cannot be made smaller. */
  shrink(): boolean {
    if (this.#limit <= 1) return false
    this.#limit = Math.max(1, Math.floor(this.#limit / shrinkage))
    return true
  }
}
