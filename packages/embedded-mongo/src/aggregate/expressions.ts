import { Doc, dbRefNames, type Value } from '../bson/values.js'
import { fail, MongoError } from '../errors.js'
import { type Compile, checkVariable, type Evaluate } from './operator.js'
import { operators } from './operators.js'
import { Variables } from './variables.js'

/**
 * Compiles an aggregation expression.
 * @throws MongoError 168 for an unknown operator
 */
export const compileExpression = (spec: Value, variables = Variables.forCommand()): Evaluate => {
  const compile: Compile = (inner, scope = variables) => compileExpression(inner, scope)
  if (typeof spec === 'string' && spec.startsWith('$')) return fieldPath(spec, variables)
  if (Array.isArray(spec)) {
    const items = spec.map(item => compile(item))
    return doc => items.map(item => item(doc) ?? null)
  }
  if (!(spec instanceof Doc)) return () => spec
  const [name] = spec.keys()
  if (name?.startsWith('$')) {
    if (spec.size > 1)
      fail(
        15983,
        `An object representing an expression must have exactly one field: ${[...spec.keys()].join(', ')}`,
      )
    const make = operators.get(name)
    if (!make) throw new MongoError(168, `Unrecognized expression '${name}'`)
    return make(spec.get(name)!, compile, variables)
  }
  const fields: [string, Evaluate][] = []
  for (const [field, value] of spec) {
    if (field.startsWith('$')) fail(15983, `Unrecognized expression field '${field}'`)
    if (field.includes('.')) fail(40352, `FieldPath field names may not contain '.': ${field}`)
    fields.push([field, compile(value)])
  }
  return doc => {
    const made = new Doc()
    for (const [field, evaluate] of fields) {
      const value = evaluate(doc)
      if (value !== undefined) made.set(field, value)
    }
    return made
  }
}

/** Returns whether an expression may depend on the document; true if that is uncertain. */
export const readsDocument = (spec: Value): boolean => {
  if (typeof spec === 'string') return /^\$(?!\$)|^\$\$(ROOT|CURRENT)(\.|$)/.test(spec)
  if (Array.isArray(spec)) return spec.some(readsDocument)
  if (!(spec instanceof Doc)) return false
  return [...spec].some(([name, inner]) => {
    if (name === '$literal') return false
    // `$getField` without `input` reads the document.
    if (name === '$getField' && !(inner instanceof Doc && inner.has('input'))) return true
    return readsDocument(inner)
  })
}

/**
 * Creates the variables of a command: `$$NOW` and its `let`. Each `let` expression is evaluated once, here, and may use
 * the variables before it.
 */
export const commandVariables = (lets: Doc): Variables => {
  const variables = new Variables(Variables.forCommand())
  for (const [name, spec] of lets) {
    checkVariable(name)
    const evaluate = compileExpression(spec, variables)
    if (readsDocument(spec))
      fail(
        4890500,
        'Command let Expression tried to access a field, but this is not allowed because Command let Expressions run before the query examines any documents.',
      )
    variables.define(name).value = evaluate(new Doc())
  }
  return variables
}

const fieldPath = (text: string, variables: Variables): Evaluate => {
  if (!text.startsWith('$$')) {
    const parts = pathParts(text.slice(1))
    return parts.length === 1 ? doc => doc.get(parts[0]!) : doc => pathValue(doc, parts)
  }
  const [name, ...rest] = pathParts(text.slice(2))
  if (name === 'ROOT' || name === 'CURRENT') return doc => pathValue(doc, rest)
  if (name === 'REMOVE') return () => undefined
  const slot = variables.find(name!) ?? fail(17276, `Use of undefined variable: ${name}`)
  return () => (slot.value === undefined ? undefined : pathValue(slot.value, rest))
}

const pathParts = (path: string): string[] => {
  if (path === '') fail(16872, "'$' by itself is not a valid FieldPath")
  const parts = path.split('.')
  for (const part of parts) {
    if (part === '') fail(path.endsWith('.') ? 40353 : 15998, 'FieldPath must not have an empty component')
    if (part.startsWith('$') && !dbRefNames.has(part))
      fail(
        16410,
        `FieldPath field names may not start with '$'. Consider using $getField or $setField: ${part}`,
      )
  }
  return parts
}

/** Resolves a dotted path of an expression: through each element of arrays, never by position. */
export const pathValue = (
  value: Value | undefined,
  parts: readonly string[],
  from = 0,
): Value | undefined => {
  let found = value
  for (let i = from; i < parts.length; i++) {
    if (Array.isArray(found)) {
      const items: Value[] = []
      for (const item of found) {
        const inner = item instanceof Doc || Array.isArray(item) ? pathValue(item, parts, i) : undefined
        if (inner !== undefined) items.push(inner)
      }
      return items
    }
    if (!(found instanceof Doc)) return undefined
    found = found.get(parts[i]!)
  }
  return found
}
