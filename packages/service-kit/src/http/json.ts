import { DETAILS, LIMITS, textFault } from '@iodine/contracts'
import { badRequest, invalid } from './errors.js'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

const checkString = (value: string, where: string): void => {
  const fault = textFault(value)
  if (fault !== undefined) throw invalid([`${where}: ${fault}`])
}

/**
 * Refuses input that breaks a store or a browser: nesting past 64 levels (400), prototype keys (400), NUL and
 * lone surrogates in any string or key (422). Iterative, so that depth cannot exhaust the stack.
 */
export const checkPlainData = (root: unknown, name: string): void => {
  const stack: [unknown, string, number][] = [[root, name, 1]]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [value, where, depth] = next
    if (typeof value === 'string') checkString(value, where)
    else if (typeof value === 'object' && value !== null) {
      if (depth > LIMITS.jsonDepthMax) throw badRequest(DETAILS.malformedJson)
      for (const [key, child] of Object.entries(value)) {
        if (key === '__proto__') throw badRequest(DETAILS.malformedJson)
        checkString(key, where)
        stack.push([child, key, depth + 1])
      }
    }
  }
}

/**
 * Parses body bytes: strict UTF-8, JSON, plain data unless `check` is false; an empty body is an empty
 * object.
 */
export const parseJsonBody = (bytes: Buffer, check = true): unknown => {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch {
    throw badRequest(DETAILS.malformedJson)
  }
  if (check) checkPlainData(value, 'body')
  return value
}
