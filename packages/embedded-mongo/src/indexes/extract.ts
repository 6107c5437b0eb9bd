import { Doc, type Value } from '../bson/values.js'
import { MongoError } from '../errors.js'
import { emptyArray, type KeyValue } from './key.js'

/** The state of resolving one index path: the value reached and the remaining names. */
type Step = { value: Value | undefined; path: readonly string[]; rest: readonly string[]; settled: boolean }

/** A name that selects an element of an array by its position. */
export const numeric = /^(0|[1-9]\d*)$/

type Extracted = {
  keys: KeyValue[][]
  /** The paths of arrays on the index paths: `a` or `a.b` for the index path `a.b`. */
  arrays: ReadonlySet<string>
}

const noArrays: ReadonlySet<string> = new Set()

/**
 * Returns the keys of a document in an index over `paths`: one tuple of values, or one per element of an array on a
 * path.
 * @throws MongoError 171 for paths through different (parallel) arrays
 */
export const extractKeys = (doc: Doc, paths: readonly (readonly string[])[]): Extracted => {
  const found: { keys: KeyValue[][]; arrays: Set<string> | undefined } = { keys: [], arrays: undefined }
  expand(
    paths.map(path => ({ value: doc, path, rest: path, settled: false })),
    found,
  )
  return { keys: found.keys, arrays: found.arrays ?? noArrays }
}

const walk = (step: Step): Step => {
  const { path } = step
  let { value, rest } = step
  while (rest.length > 0) {
    if (value instanceof Doc) value = value.get(rest[0]!)
    else if (Array.isArray(value) && numeric.test(rest[0]!) && Number(rest[0]) < value.length)
      value = value[Number(rest[0])]
    else break
    rest = rest.slice(1)
  }
  if (rest.length > 0 && !Array.isArray(value)) return { value: undefined, path, rest: [], settled: true }
  return { value, path, rest, settled: !Array.isArray(value) }
}

const expand = (
  steps: readonly Step[],
  found: { keys: KeyValue[][]; arrays: Set<string> | undefined },
): void => {
  const walked = steps.map(step => (step.settled ? step : walk(step)))
  const open = walked.find(step => !step.settled)
  if (!open) {
    found.keys.push(walked.map(step => step.value))
    return
  }
  const array = open.value as Value[]
  for (const step of walked) {
    if (step.settled) continue
    if (step.value !== array) throw new MongoError(171, 'cannot index parallel arrays')
    found.arrays ??= new Set()
    found.arrays.add(pathTo(step.path, step.path.length - step.rest.length))
  }
  if (array.length === 0) {
    found.keys.push(
      walked.map(step => (step.settled ? step.value : step.rest.length > 0 ? undefined : emptyArray)),
    )
    return
  }
  for (const element of array) {
    const inside = walked.map((step): Step => {
      if (step.settled) return step
      const { path, rest } = step
      if (rest.length === 0) return { value: element, path, rest, settled: true }
      if (element instanceof Doc) return { value: element, path, rest, settled: false }
      return { value: undefined, path, rest: [], settled: true }
    })
    expand(inside, found)
  }
}

const pathTo = (path: readonly string[], length: number) =>
  length === 1 ? path[0]! : path.slice(0, length).join('.')
