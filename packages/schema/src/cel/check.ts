import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js'
import type { FieldError } from '../field-error.ts'
import type { Schema, ValidationRule } from '../schema.ts'
import { GoStruct, invalid } from '../wording.ts'
import { at, Checker } from './checker.ts'
import { dyn, type Type, typeOf } from './expression-type.ts'
import { translate } from './source.ts'

/**
 * What is wrong with the rules of one schema before anything was held against them. Types are followed as far as the
 * schema gives them; what is not known to be wrong passes.
 */
export function checkRules(
  schema: Schema,
  path: string,
  { isRoot, uncorrelated }: { readonly isRoot: boolean; readonly uncorrelated: string | undefined },
): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, i) => {
    const here = `${path}.x-kubernetes-validations[${i}]`
    const self = typeOf(isRoot ? withObjectMeta(schema) : schema)
    const { names } = translate(rule.rule)
    const errors: FieldError[] = []
    const problem = checkExpression(rule.rule, self, 'bool', rule.optionalOldSelf === true)
    if (problem !== undefined) errors.push(invalid(`${here}.rule`, asGo(rule), problem))
    if (rule.messageExpression !== undefined && rule.messageExpression !== '') {
      const wrong = checkExpression(rule.messageExpression, self, 'string', false)
      if (wrong !== undefined) errors.push(invalid(`${here}.messageExpression`, asGo(rule), wrong))
    }
    if (names.has('oldSelf')) {
      if (uncorrelated !== undefined)
        errors.push(
          invalid(
            `${here}.rule`,
            rule.rule,
            `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`,
          ),
        )
    } else if (rule.optionalOldSelf !== undefined)
      errors.push(
        invalid(
          `${here}.optionalOldSelf`,
          rule.optionalOldSelf,
          'may not be set if oldSelf is not used in rule',
        ),
      )
    return errors
  })
}

/** The rule as the server prints it: with the names that its fields have in Go, in Go's order. */
function asGo(rule: ValidationRule): GoStruct {
  return new GoStruct({
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  })
}

function withObjectMeta(schema: Schema): Schema {
  const text: Schema = { type: 'string' }
  const metadata: Schema = { type: 'object', properties: { name: text, generateName: text } }
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } }
}

const parser = new Environment({
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  unlistedVariablesAreDyn: true,
})

function checkExpression(
  source: string,
  self: Type,
  wanted: 'bool' | 'string',
  optional: boolean,
): string | undefined {
  const prefix = wanted === 'bool' ? 'compilation failed: ' : 'messageExpression compilation failed: '
  const { problems, type } = typeOfExpression(source, { self, oldSelf: optional ? dyn : self })
  if (problems.length > 0) return `${prefix}${problems.join('\n')}`
  if (type.kind === 'dyn' || type.kind === wanted) return undefined
  return wanted === 'bool'
    ? 'cel expression must evaluate to a bool'
    : 'messageExpression must evaluate to a string'
}

/** What an expression evaluates to where these variables and methods are known, and what is wrong with it. */
export function typeOfExpression(
  source: string,
  variables: Readonly<Record<string, Type>>,
  moreMethods?: ReadonlySet<string>,
): { readonly type: Type; readonly problems: readonly string[] } {
  let ast: ASTNode
  try {
    ast = parser.parse(source).ast
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const problem = at(source, error.range?.start ?? 0, `Syntax error: ${syntaxProblem(error.summary)}`)
    return { type: dyn, problems: [problem] }
  }
  const checker = new Checker(source, moreMethods)
  const type = checker.check(ast, new Map(Object.entries(variables)))
  return { type, problems: checker.problems }
}

/** Where a rule just ends the server's words are known; its grammar's words for the rest are not. */
function syntaxProblem(summary: string): string {
  if (summary === 'Unexpected token: EOF')
    return "mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
  return summary === 'Expected RPAREN, got EOF' ? "missing ')' at '<EOF>'" : summary
}
