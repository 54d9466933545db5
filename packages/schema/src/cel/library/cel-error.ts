/** An evaluation that fails, in cel-go's words. */
export class CelError extends Error {}
