import { Environment } from '@marcbachmann/cel-js'
import { registerQuantities } from '@portcullis/schema/internal/cel/library/quantities.ts'
import type { Manifest } from '../manifests/options.ts'

interface PolicySpec {
  readonly variables: readonly { readonly name: string; readonly expression: string }[]
  readonly validations: readonly { readonly expression: string; readonly message: string }[]
}

/** What a ValidatingAdmissionPolicy objects to in a request, without an API server; `testing/installation` asks a real one. */
export function objections(
  policy: Manifest,
  {
    object = null,
    oldObject = null,
  }: { readonly object?: object | null; readonly oldObject?: object | null },
): string[] {
  const cel = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true })
  registerQuantities(cel)
  const { variables, validations } = policy['spec'] as PolicySpec
  const operation = object === null ? 'DELETE' : oldObject === null ? 'CREATE' : 'UPDATE'
  const known: Record<string, unknown> = {}
  const context = { object, oldObject, request: { operation }, variables: known }
  for (const { name, expression } of variables) known[name] = cel.evaluate(expression, context)
  return validations
    .filter(({ expression }) => cel.evaluate(expression, context) !== true)
    .map(({ message }) => message)
}
