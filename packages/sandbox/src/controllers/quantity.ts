const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** `resource.Quantity` as a number: `100m` is 0.1, `1Gi` is 2^30. What is not one counts nothing. */
export function quantity(text: string | number | undefined): number {
  if (text === undefined) return 0
  const [, digits = '', suffix = ''] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(String(text)) ?? []
  const value = Number(digits) * (factors[suffix] ?? Number.NaN)
  return Number.isNaN(value) ? 0 : value
}
