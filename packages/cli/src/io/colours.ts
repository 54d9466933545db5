const codes = { red: 31, green: 32, yellow: 33, bold: 1, faint: 2 } as const

/** The escape sequences that `paint` adds to a text. */
export const painted = new RegExp(`(\u001b\\[(?:${[0, ...Object.values(codes)].join('|')})m)`)

/** Adds colours to text for a terminal. */
export type Paint = Readonly<Record<keyof typeof codes, (text: string) => string>>

/** @param colours without it, texts stay as they are */
export function paint(colours: boolean): Paint {
  const inCode = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text)
  return {
    red: inCode(codes.red),
    green: inCode(codes.green),
    yellow: inCode(codes.yellow),
    bold: inCode(codes.bold),
    faint: inCode(codes.faint),
  }
}
