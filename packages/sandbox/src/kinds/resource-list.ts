import { roundedUpQuantity } from '@portcullis/schema'

/** The amounts of a list of resources, as it is kept: text in its canonical form, rounded up to thousandths. */
export function roundUpAmounts(list: Record<string, string> | undefined): void {
  if (list === undefined) return
  for (const [name, value] of Object.entries<string | number>(list))
    list[name] = roundedUpQuantity(String(value))
}
