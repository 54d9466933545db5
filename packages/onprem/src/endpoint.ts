/** An address and a port in one text: `192.0.2.10:6443`, `[2001:db8::10]:6443`. */
export function endpoint(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
