import { asInteger } from '../bson/numbers.js'
import type { TopLevelFields } from '../bson/read.js'
import { Doc, isNumeric, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import { compileFilter, type Position } from '../match/filter.js'
import { compileExpression } from './expressions.js'
import { type Evaluate, truthy } from './operator.js'
import { Variables } from './variables.js'

/** The projection of a field: included, excluded, sliced, computed, or by its inner fields. */
type Node = {
  kind: 'include' | 'exclude' | 'slice' | 'first' | 'compute' | 'inner'
  children: Map<string, Node>
  slice?: { skip: number; limit: number }
  first?: (items: Value[], position: Position) => Value | undefined
  compute?: Evaluate
}

export type Project = (doc: Doc, position?: Position) => Doc

type Options = { variables?: Variables; find?: boolean }

const inner = (): Node => ({ kind: 'inner', children: new Map() })

const place = (root: Node, path: string, node: Node) => {
  const parts = path.split('.')
  if (parts.includes('')) fail(40353, `FieldPath must not have an empty component: ${path}`)
  let at = root
  for (const [i, part] of parts.entries()) {
    const found = at.children.get(part)
    if (i === parts.length - 1) {
      if (found) fail(31250, `Path collision at ${path}`)
      at.children.set(part, node)
      return
    }
    if (found && found.kind !== 'inner')
      fail(31249, `Path collision at ${path} remaining portion ${parts.slice(i + 1).join('.')}`)
    const next = found ?? inner()
    at.children.set(part, next)
    at = next
  }
}

/** Compiles a projection of `find` or `$project`. Throws MongoDB's errors for mixed or unknown forms. */
export const compileProjection = (spec: Doc, options: Options = {}): Project => {
  const variables = options.variables ?? Variables.forCommand()
  const root = inner()
  let including: boolean | undefined
  let idKept: boolean | undefined
  const decide = (value: boolean, path: string) => {
    if (including !== undefined && including !== value)
      fail(
        value ? 31253 : 31254,
        `Cannot do ${value ? 'inclusion' : 'exclusion'} on field ${path} in ${value ? 'exclusion' : 'inclusion'} projection`,
      )
    including = value
  }
  const sliced: [string, Node][] = []
  const read = (path: string, value: Value): void => {
    if (isNumeric(value) || typeof value === 'boolean') {
      const keep = truthy(value)
      if (path === '_id') {
        idKept = keep
        return
      }
      if (path.endsWith('.$')) {
        if (!options.find) fail(31324, 'Cannot use positional projection in aggregation projection')
        decide(true, path)
        place(root, path.slice(0, -2), { ...inner(), kind: 'first', first: atPosition })
        return
      }
      decide(keep, path)
      place(root, path, { ...inner(), kind: keep ? 'include' : 'exclude' })
      return
    }
    if (value instanceof Doc) {
      const [name] = value.keys()
      if (options.find && name === '$slice' && !isExpressionSlice(value.get(name)!)) {
        sliced.push([path, { ...inner(), kind: 'slice', slice: sliceOf(value.get(name)!) }])
        return
      }
      if (options.find && name === '$elemMatch') {
        if (path.includes('.')) fail(31275, 'Cannot use $elemMatch projection on a nested field.')
        decide(true, path)
        place(root, path, { ...inner(), kind: 'first', first: elementMatch(value.get(name)!) })
        return
      }
      if (!name?.startsWith('$')) {
        if (value.size === 0)
          fail(51270, 'An empty sub-projection is not a valid value. Found empty object at path')
        for (const [key, one] of value) read(`${path}.${key}`, one)
        return
      }
    }
    // Computed fields are allowed with an exclusion of _id only.
    decide(true, path)
    if (path === '_id') idKept = true
    place(root, path, { ...inner(), kind: 'compute', compute: compileExpression(value, variables) })
  }
  for (const [path, value] of spec) {
    if (path.startsWith('$')) fail(16410, `FieldPath field names may not start with '$': ${path}`)
    read(path, value)
  }
  for (const [path, node] of sliced) place(root, path, node)
  including ??= idKept === true && sliced.length === 0
  if (including && idKept !== false && !root.children.has('_id'))
    root.children.set('_id', { ...inner(), kind: 'include' })
  if (!including && idKept === false) root.children.set('_id', { ...inner(), kind: 'exclude' })
  const keep = including
  return (doc, position = {}) => shape(doc, root, keep, doc, position)
}

/** Returns the fields of a projection that only includes, or only excludes, top-level fields; else undefined. */
export const topLevelFields = (spec: Doc): TopLevelFields | undefined => {
  const names = new Set<string>()
  let id = true
  let kept: boolean | undefined
  for (const [path, value] of spec) {
    if (!isNumeric(value) && typeof value !== 'boolean') return undefined
    const includes = truthy(value)
    if (path === '_id') {
      id = includes
      continue
    }
    if (path.includes('.') || path.startsWith('$') || includes !== (kept ?? includes)) return undefined
    kept = includes
    names.add(path)
  }
  if (kept === undefined) return undefined
  if (id === kept) names.add('_id')
  return { names: [...names].map(name => Buffer.from(name)), kept }
}

const shape = (doc: Doc, node: Node, including: boolean, root: Doc, position: Position): Doc => {
  const made = new Doc()
  for (const [name, value] of doc) {
    const child = node.children.get(name)
    if (!child) {
      if (!including) made.set(name, value)
      continue
    }
    const now = shaped(value, child, including, root, position)
    if (now !== undefined) made.set(name, now)
  }
  return compute(made, node, root)
}

/** Sets the computed fields below a node, in the order of the specification. */
const compute = (made: Doc, node: Node, root: Doc): Doc => {
  for (const [name, child] of node.children) {
    if (child.kind === 'compute') {
      const value = child.compute!(root)
      if (value === undefined) made.delete(name)
      else made.set(name, value)
    } else if (child.kind === 'inner' && !made.has(name)) {
      const value = compute(new Doc(), child, root)
      if (value.size > 0) made.set(name, value)
    }
  }
  return made
}

const shaped = (
  value: Value,
  node: Node,
  including: boolean,
  root: Doc,
  position: Position,
): Value | undefined => {
  switch (node.kind) {
    case 'include':
      return value
    case 'exclude':
    case 'compute':
      return undefined
    case 'slice':
      return Array.isArray(value) ? sliced(value, node.slice!) : value
    case 'first':
      return Array.isArray(value)
        ? node.first!(value, position)
        : node.first === atPosition
          ? value
          : undefined
    default:
  }
  if (value instanceof Doc) return shape(value, node, including, root, position)
  if (Array.isArray(value)) {
    const items: Value[] = []
    for (const item of value) {
      const now = shaped(item, node, including, root, position)
      if (now !== undefined) items.push(now)
    }
    return items
  }
  return including ? undefined : value
}

const isExpressionSlice = (value: Value) =>
  Array.isArray(value) && (value.length !== 2 || !isNumeric(value[0]) || !isNumeric(value[1]))

const sliceOf = (value: Value): { skip: number; limit: number } => {
  const number = (one: Value | undefined) =>
    asInteger(one) ?? fail(28667, 'Invalid $slice syntax. The given syntax did not match the find() syntax')
  if (!Array.isArray(value)) {
    const limit = number(value)
    return limit < 0 ? { skip: limit, limit: -limit } : { skip: 0, limit }
  }
  const limit = number(value[1])
  if (limit <= 0) fail(28724, 'First argument to $slice must be an array')
  return { skip: number(value[0]), limit }
}

const sliced = (items: Value[], { skip, limit }: { skip: number; limit: number }) => {
  const from = skip < 0 ? Math.max(items.length + skip, 0) : skip
  return items.slice(from, from + limit)
}

const atPosition = (items: Value[], position: Position): Value | undefined => {
  if (position.index === undefined)
    return fail(
      51246,
      "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
    )
  const item = items[position.index]
  return item === undefined ? fail(51247, "positional operator '.$' element mismatch") : [item]
}

const elementMatch = (spec: Value) => {
  if (!(spec instanceof Doc))
    return fail(31274, 'elemMatch: Invalid argument, object required, but got another type')
  const condition = compileFilter(new Doc([['v', new Doc([['$elemMatch', spec]])]]))
  return (items: Value[]): Value | undefined => {
    const position: Position = {}
    return condition.matches(new Doc([['v', items]]), position) ? [items[position.index!]!] : undefined
  }
}

/** Compiles `$addFields`: sets computed fields. Nested fields apply to each element of arrays, and replace scalars. */
export const compileAddFields = (spec: Doc, variables: Variables): Project => {
  const root = inner()
  const read = (path: string, value: Value): void => {
    if (path.startsWith('$')) fail(16410, `FieldPath field names may not start with '$': ${path}`)
    const [name] = value instanceof Doc ? value.keys() : []
    if (value instanceof Doc && name !== undefined && !name.startsWith('$'))
      for (const [key, one] of value) read(`${path}.${key}`, one)
    else place(root, path, { ...inner(), kind: 'compute', compute: compileExpression(value, variables) })
  }
  for (const [path, value] of spec) read(path, value)
  return doc => laid(doc, root, doc)
}

const laid = (doc: Doc, node: Node, root: Doc): Doc => {
  const made = new Doc(doc)
  for (const [name, child] of node.children) {
    const value = child.kind === 'compute' ? child.compute!(root) : laidOver(made.get(name), child, root)
    if (value === undefined) made.delete(name)
    else made.set(name, value)
  }
  return made
}

const laidOver = (value: Value | undefined, node: Node, root: Doc): Value =>
  Array.isArray(value)
    ? value.map(item => laidOver(item, node, root))
    : laid(value instanceof Doc ? value : new Doc(), node, root)
