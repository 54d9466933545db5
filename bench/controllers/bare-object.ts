/** What a bare client creates. */
export interface BareObject {
  readonly path: string
  readonly body: string
}
