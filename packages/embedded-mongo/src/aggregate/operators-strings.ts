import { compareStrings } from '../bson/compare.js'
import { asInteger } from '../bson/numbers.js'
import { Doc, isNumeric, Regex, Sym, typeName, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import type { Pattern } from '../match/pattern.js'
import { compileRegex } from '../match/regex.js'
import { missing, namedSpecs, type Operator, withArguments, withNames } from './operator.js'
import { textOf } from './operators-types.js'

type Args = (Value | undefined)[]

/** Converts an argument of the older string operators: null to an empty text, numbers and dates to text. */
const coerced = (name: string, value: Value | undefined): string => {
  if (missing(value)) return ''
  if (typeof value === 'string') return value
  if (value instanceof Sym) return value.text
  if (isNumeric(value) || value instanceof Date) return textOf(value)!
  return fail(16007, `can't convert from BSON type ${typeName(value)} to String in ${name}`)
}

const string = (code: number, name: string, value: Value | undefined): string =>
  typeof value === 'string'
    ? value
    : fail(code, `${name} requires a string argument, found: ${typeName(value)}`)

const whole = (code: number, name: string, value: Value | undefined): number =>
  asInteger(value) ?? fail(code, `${name} requires an integral argument, found: ${typeName(value)}`)

const concat = (values: Args): Value => {
  let made = ''
  for (const value of values) {
    if (missing(value)) return null
    made += string(16702, '$concat', value)
  }
  return made
}

/** Changes the case of ASCII letters only, as MongoDB does. */
const cased = (name: string, pattern: RegExp, by: (text: string) => string) =>
  withArguments(name, 1, 1, ([value]) => coerced(name, value).replace(pattern, by))

const continues = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

const substrBytes = ([value, start, length]: Args): Value => {
  const bytes = Buffer.from(coerced('$substrBytes', value))
  const from = whole(16034, '$substrBytes', start)
  const size = whole(16035, '$substrBytes', length)
  if (from < 0) fail(50752, '$substrBytes: starting index must be non-negative')
  if (from >= bytes.length) return ''
  const to = size < 0 ? bytes.length : Math.min(from + size, bytes.length)
  if (continues(bytes[from]))
    fail(28656, '$substrBytes: Invalid range, starting index is a UTF-8 continuation byte.')
  if (continues(bytes[to]))
    fail(28657, '$substrBytes: Invalid range, ending index is in the middle of a UTF-8 character.')
  return bytes.toString('utf8', from, to)
}

const substrCodePoints = ([value, start, length]: Args): Value => {
  const from = whole(34450, '$substrCP', start)
  const size = whole(34452, '$substrCP', length)
  if (from < 0) fail(34455, '$substrCP: the starting index must be a non-negative integer.')
  if (size < 0) fail(34454, '$substrCP: length must be a non-negative integer.')
  return [...coerced('$substrCP', value)].slice(from, from + size).join('')
}

/** Finds a substring. Positions are in bytes or in code points. */
const indexOf = (
  name: string,
  units: (text: string) => ArrayLike<unknown> & { slice(from: number, to: number): unknown },
  join: (part: unknown) => string,
) =>
  withArguments(name, 2, 4, ([value, wanted, first, last]) => {
    if (missing(value)) return null
    const all = units(string(40091, name, value))
    const from = first === undefined ? 0 : whole(40096, name, first)
    const to = last === undefined ? all.length : Math.min(whole(40096, name, last), all.length)
    if (from < 0 || to < 0) fail(40097, `${name} requires a nonnegative start and end index`)
    if (from > to) return -1
    const found = join(all.slice(from, to)).indexOf(string(40092, name, wanted))
    return found < 0 ? -1 : from + units(join(all.slice(from, to)).slice(0, found)).length
  })

const split = ([value, separator]: Args): Value => {
  if (missing(value) || missing(separator)) return null
  const by = string(40086, '$split', separator)
  if (by === '') fail(40087, '$split requires a non-empty separator')
  return string(40085, '$split', value).split(by)
}

const trim = (name: string, start: boolean, end: boolean): Operator =>
  withNames(name, ['input'], ['chars'], ({ input, chars }) => {
    if (missing(input)) return null
    const set = chars === undefined ? undefined : missing(chars) ? null : new Set(string(50700, name, chars))
    if (set === null) return null
    const strip = (char: string) => (set ? set.has(char) : /[\0\s\u200b]/.test(char))
    const all = [...string(50699, name, input)]
    let from = 0
    let to = all.length
    if (start) while (from < to && strip(all[from]!)) from++
    if (end) while (to > from && strip(all[to - 1]!)) to--
    return all.slice(from, to).join('')
  })

const compareIgnoringCase = ([left, right]: Args): Value => {
  const lower = (value: Value | undefined) =>
    coerced('$strcasecmp', value).replace(/[a-z]+/g, part => part.toUpperCase())
  return Math.sign(compareStrings(lower(left), lower(right)))
}

/** Compiles a regex operator's arguments; null for a null or missing regex. */
const regexOf = (name: string, regex: Value | undefined, options: Value | undefined): Pattern | null => {
  if (missing(regex)) return null
  if (options !== undefined && !missing(options) && typeof options !== 'string')
    return fail(51106, `${name} needs 'options' to be of type string`)
  const given = typeof options === 'string' ? options : ''
  if (regex instanceof Regex) {
    if (regex.options && given)
      fail(51107, `${name}: found regex option(s) specified in both 'regex' and 'option' fields`)
    return compileRegex(regex.pattern, regex.options || given)
  }
  return compileRegex(
    typeof regex === 'string' ? regex : fail(51105, `${name} needs 'regex' to be of type string or regex`),
    given,
  )
}

const regex = (name: string, apply: (text: string, pattern: Pattern) => Value, nothing: Value): Operator => {
  return (spec, compile) => {
    const inner = namedSpecs(name, spec, ['input', 'regex'], ['options']).map(
      ([key, value]) => [key, compile(value)] as const,
    )
    return doc => {
      const {
        input,
        regex: given,
        options,
      } = Object.fromEntries(inner.map(([key, evaluate]) => [key, evaluate(doc)]))
      const compiled = regexOf(name, given, options)
      if (missing(input) || !compiled) return nothing
      return apply(string(51104, name, input), compiled)
    }
  }
}

const found = (text: string, match: RegExpMatchArray): Doc =>
  Doc.of({
    match: match[0],
    idx: [...text.slice(0, match.index)].length,
    captures: match.slice(1).map(one => one ?? null),
  })

const all = (text: string, compiled: Pattern): Value =>
  compiled.findAll(text).map(match => found(text, match))

const replace = (name: string, apply: (text: string, find: string, by: string) => string): Operator =>
  withNames(name, ['input', 'find', 'replacement'], [], ({ input, find, replacement }) => {
    if (missing(input) || missing(find) || missing(replacement)) return null
    return apply(string(51746, name, input), string(51745, name, find), string(51744, name, replacement))
  })

const bytes = (text: string) => Buffer.from(text)
const points = (text: string) => [...text]

export const stringOperators: [string, Operator][] = [
  ['$concat', withArguments('$concat', 0, 1e9, concat)],
  ['$toLower', cased('$toLower', /[A-Z]+/g, part => part.toLowerCase())],
  ['$toUpper', cased('$toUpper', /[a-z]+/g, part => part.toUpperCase())],
  ['$substr', withArguments('$substr', 3, 3, substrBytes)],
  ['$substrBytes', withArguments('$substrBytes', 3, 3, substrBytes)],
  ['$substrCP', withArguments('$substrCP', 3, 3, substrCodePoints)],
  [
    '$strLenBytes',
    withArguments('$strLenBytes', 1, 1, ([value]) => Buffer.byteLength(string(34473, '$strLenBytes', value))),
  ],
  ['$strLenCP', withArguments('$strLenCP', 1, 1, ([value]) => [...string(34471, '$strLenCP', value)].length)],
  ['$indexOfBytes', indexOf('$indexOfBytes', bytes, part => (part as Buffer).toString())],
  ['$indexOfCP', indexOf('$indexOfCP', points, part => (part as string[]).join(''))],
  ['$split', withArguments('$split', 2, 2, split)],
  ['$trim', trim('$trim', true, true)],
  ['$ltrim', trim('$ltrim', true, false)],
  ['$rtrim', trim('$rtrim', false, true)],
  ['$strcasecmp', withArguments('$strcasecmp', 2, 2, compareIgnoringCase)],
  ['$regexMatch', regex('$regexMatch', (text, compiled) => compiled.test(text), false)],
  [
    '$regexFind',
    regex(
      '$regexFind',
      (text, compiled) => {
        const match = compiled.find(text)
        return match ? found(text, match) : null
      },
      null,
    ),
  ],
  ['$regexFindAll', regex('$regexFindAll', all, [])],
  ['$replaceOne', replace('$replaceOne', (text, find, by) => text.replace(find, () => by))],
  ['$replaceAll', replace('$replaceAll', (text, find, by) => text.replaceAll(find, () => by))],
]
