/** This machine lacks a program that a test bed is made with. The message says which, and how to get it. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing'
}
