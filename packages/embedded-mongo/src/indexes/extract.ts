import { Doc, type Value } from '../bson/values.js'
import { MongoError } from '../errors.js'
import { emptyArray, type KeyValue } from './key.js'

/** The state of resolving one index path: the value reached and the remaining names. */
type Step = { value: Value | undefined; rest: readonly string[]; settled: boolean }

const numeric = /^(0|[1-9]\d*)$/

/**
 * The keys of a document in an index over `paths`: one tuple of values, or one per element of an array on a
 * path. Paths through different (parallel) arrays are refused with code 171, as in MongoDB.
 */
export const extractKeys = (
  doc: Doc,
  paths: readonly (readonly string[])[],
): { keys: KeyValue[][]; multikey: boolean } => {
  const keys: KeyValue[][] = []
  const multikey = expand(
    paths.map(rest => ({ value: doc, rest, settled: false })),
    keys,
  )
  return { keys, multikey }
}

const walk = (step: Step): Step => {
  let { value, rest } = step
  while (rest.length > 0) {
    if (value instanceof Doc) value = value.get(rest[0]!)
    else if (Array.isArray(value) && numeric.test(rest[0]!) && Number(rest[0]) < value.length)
      value = value[Number(rest[0])]
    else break
    rest = rest.slice(1)
  }
  if (rest.length > 0 && !Array.isArray(value)) return { value: undefined, rest: [], settled: true }
  return { value, rest, settled: !Array.isArray(value) }
}

const expand = (steps: readonly Step[], keys: KeyValue[][]): boolean => {
  const walked = steps.map(step => (step.settled ? step : walk(step)))
  const open = walked.find(step => !step.settled)
  if (!open) {
    keys.push(walked.map(step => step.value))
    return false
  }
  const array = open.value as Value[]
  for (const step of walked) {
    if (!step.settled && step.value !== array) throw new MongoError(171, 'cannot index parallel arrays')
  }
  if (array.length === 0) {
    keys.push(walked.map(step => (step.settled ? step.value : step.rest.length > 0 ? undefined : emptyArray)))
    return true
  }
  for (const element of array) {
    const inside = walked.map((step): Step => {
      if (step.settled) return step
      if (step.rest.length === 0) return { value: element, rest: [], settled: true }
      if (element instanceof Doc) return { value: element, rest: step.rest, settled: false }
      return { value: undefined, rest: [], settled: true }
    })
    expand(inside, keys)
  }
  return true
}
