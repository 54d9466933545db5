/** What a bare client is told to create. */
export interface BareObject {
  readonly path: string
  readonly body: string
}
