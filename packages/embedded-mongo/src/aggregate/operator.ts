import { toDouble } from '../bson/numbers.js'
import { Doc, isNumeric, typeName, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import type { Variables } from './variables.js'

/** A compiled expression: returns its value for a document, or undefined for MongoDB's "missing". */
export type Evaluate = (doc: Doc) => Value | undefined

/** Compiles an operator's inner expressions. */
export type Compile = (spec: Value, variables?: Variables) => Evaluate

/** Returns MongoDB's truthiness: true for all values except false, zero, null and missing. */
export const truthy = (value: Value | undefined): boolean =>
  isNumeric(value) ? toDouble(value) !== 0 : value !== undefined && value !== null && value !== false

/** Compiles an operator with its argument. */
export type Operator = (spec: Value, compile: Compile, variables: Variables) => Evaluate

/** Defines an operator with a bounded number of arguments, which are evaluated first. */
export const withArguments =
  (
    name: string,
    least: number,
    most: number,
    apply: (values: (Value | undefined)[]) => Value | undefined,
  ): Operator =>
  (spec, compile) => {
    const given = Array.isArray(spec) ? spec : [spec]
    if (given.length < least || given.length > most)
      fail(
        16020,
        `Expression ${name} takes ${least === most ? `exactly ${least}` : `at least ${least}`} arguments. ${given.length} were passed in.`,
      )
    const inner = given.map(one => compile(one))
    return doc => apply(inner.map(evaluate => evaluate(doc)))
  }

/** Defines an operator with a document of named arguments. */
export const withNames = (
  name: string,
  required: readonly string[],
  optional: readonly string[],
  apply: (values: Record<string, Value | undefined>) => Value | undefined,
): Operator => {
  return (spec, compile) => {
    const inner = namedSpecs(name, spec, required, optional).map(
      ([key, value]) => [key, compile(value)] as const,
    )
    return doc => {
      const values: Record<string, Value | undefined> = {}
      for (const [key, evaluate] of inner) values[key] = evaluate(doc) ?? null
      return apply(values)
    }
  }
}

/** Checks the named arguments of an operator. */
export const namedSpecs = (
  name: string,
  spec: Value,
  required: readonly string[],
  optional: readonly string[],
): [string, Value][] => {
  if (!(spec instanceof Doc))
    return fail(9, `${name} requires an object as an argument, found: ${typeName(spec)}`)
  for (const key of spec.keys())
    if (!required.includes(key) && !optional.includes(key))
      fail(9, `Unrecognized argument to ${name}: ${key}`)
  for (const key of required) if (!spec.has(key)) fail(9, `Missing '${key}' parameter to ${name}`)
  return [...spec]
}

export const missing = (value: Value | undefined): value is null | undefined =>
  value === undefined || value === null

/** Checks the name of a user variable: it starts with a lower-case letter. */
export const checkVariable = (name: string): string =>
  /^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name) || name === 'CURRENT'
    ? name
    : fail(9, `'${name}' starts with an invalid character for a user variable name`)
