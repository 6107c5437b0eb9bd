import { fail } from '../errors.js'
import { Pattern, textStart } from './pattern.js'

const compiled = new Map<string, Pattern>()
/** `RegexMatchExpression::kMaxPatternSize` of MongoDB, in bytes. */
const MAX_PATTERN = 32_764

/**
 * Translates MongoDB's (PCRE's) regular expressions to JavaScript's. Syntax with a different meaning is rewritten (`$`,
 * `.`, `\s`, `\A`, `\z`, `\h`, extended mode, a leading `(?i)`).
 * @throws MongoError 51091 for unsupported syntax
 */
export const compileRegex = (pattern: string, options: string): Pattern => {
  const name = `${options}/${pattern}`
  let regex = compiled.get(name)
  if (!regex) {
    regex = translate(pattern, options)
    if (compiled.size > 500) compiled.clear()
    compiled.set(name, regex)
  }
  return regex
}

const spaces = ' \\t\\n\\v\\f\\r'
const wideSpaces = '\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'
const blanks = ' \\t\\u00a0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000'
const breaks = '\\n\\x0b\\f\\r\\x85\\u2028\\u2029'
const end = '(?=\\n?(?![\\s\\S]))'

const posix: Record<string, string> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: spaces,
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  xdigit: '0-9a-fA-F',
  word: '\\w',
  cntrl: '\\x00-\\x1f\\x7f',
}

const translate = (pattern: string, options: string): Pattern => {
  if (pattern.includes('\0')) fail(51091, 'Regular expression cannot contain an embedded null byte')
  if (pattern.length > MAX_PATTERN / 4 && Buffer.byteLength(pattern) > MAX_PATTERN)
    fail(2, 'Regular expression is too long')
  const flags = new Set(options)
  for (const flag of flags) if (!'imsxu'.includes(flag)) fail(51108, `invalid flag in regex options: ${flag}`)
  let source = pattern
  const inline = /^\(\?([imsx]+)\)/.exec(source)
  if (inline) {
    for (const flag of inline[1]!) flags.add(flag)
    source = source.slice(inline[0].length)
  }
  const out: string[] = []
  let inClass = false
  for (let i = 0; i < source.length; i++) {
    const char = source[i]!
    if (char === '\\') {
      out.push(
        escaped(source[++i] ?? fail(51091, 'Regular expression is invalid: \\ at end of pattern'), inClass),
      )
    } else if (inClass) {
      const named = source.startsWith('[:', i) ? /^\[:(\^?\w+):\]/.exec(source.slice(i)) : null
      if (named) {
        out.push(posix[named[1]!] ?? fail(51091, 'Regular expression is invalid: unknown POSIX class name'))
        i += named[0].length - 1
      } else if (char === ']') {
        inClass = false
        out.push(char)
      } else if (
        char === '-' &&
        (/^\\[wWdDsShv]$/.test(source.slice(i - 2, i)) || /^\\[wWdDsShv]/.test(source.slice(i + 1)))
      ) {
        // Next to a character class such as `\d`, a hyphen is literal.
        out.push('\\-')
      } else out.push('[(){}/|'.includes(char) ? `\\${char}` : char)
    } else if (char === '[') {
      inClass = true
      out.push(char)
      if (source[i + 1] === '^') out.push(source[++i]!)
      // A closing bracket in first position is literal.
      if (source[i + 1] === ']') out.push(`\\${source[++i]}`)
    } else if (char === ']' || char === '}') out.push(`\\${char}`)
    else if (char === '{') {
      const times = /^\{\d+(,\d*)?\}/.exec(source.slice(i))
      out.push(times ? times[0] : '\\{')
      if (times) i += times[0].length - 1
    } else if (char === '.') out.push(flags.has('s') ? '[\\s\\S]' : '[^\\n]')
    else if (char === '^') out.push(flags.has('m') ? '(?:(?<![\\s\\S])|(?<=\\n)(?=[\\s\\S]))' : textStart)
    else if (char === '$') out.push(flags.has('m') ? '(?![^\\n])' : end)
    else if (flags.has('x') && /\s/.test(char)) continue
    else if (flags.has('x') && char === '#') while (i + 1 < source.length && source[i + 1] !== '\n') i++
    else if (source.startsWith('(?P<', i)) {
      out.push('(?<')
      i += 3
    } else if (source.startsWith('(?#', i)) {
      const close = source.indexOf(')', i)
      i = close < 0 ? fail(51091, 'Regular expression is invalid: missing )') : close
    } else out.push(char)
  }
  try {
    return new Pattern(out.join(''), flags.has('i') ? 'iu' : 'u', literalOf(pattern, options))
  } catch (error) {
    return fail(51091, `Regular expression is invalid or not supported: ${(error as Error).message}`)
  }
}

const escaped = (char: string, inClass: boolean): string => {
  switch (char) {
    case 'A':
      return textStart
    case 'z':
      return '(?![\\s\\S])'
    case 'Z':
      return end
    case 's':
      return inClass ? spaces : `[${spaces}]`
    case 'S':
      return inClass ? `\\S${wideSpaces}` : `[^${spaces}]`
    case 'h':
      return inClass ? blanks : `[${blanks}]`
    case 'v':
      return inClass ? breaks : `[${breaks}]`
    case 'a':
      return '\\x07'
    case 'e':
      return '\\x1b'
    default:
  }
  if (/[a-zA-Z]/.test(char) && !'dDwWbBnrtfxpPkc'.includes(char))
    return fail(51091, `Regular expression is invalid or not supported: \\${char}`)
  if (/[a-zA-Z0-9]/.test(char)) return `\\${char}`
  return /[\\^$.*+?()[\]{}|/-]/.test(char) && (char !== '-' || inClass) ? `\\${char}` : char
}

/** Returns the text of a pattern without options that consists of literal or escaped characters; else undefined. */
export const literalOf = (pattern: string, options: string): string | undefined => {
  if (options !== '' || pattern.includes('\0')) return undefined
  const rest = pattern.replace(/\\(?:x([\da-fA-F]{2})|[^\da-zA-Z])|[^\\^$.*+?()[\]{}|]/gu, '')
  if (rest !== '') return undefined
  return pattern.replace(/\\(?:x([\da-fA-F]{2})|([\s\S]))/gu, (_, hex, char) =>
    hex === undefined ? char : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** Returns the literal prefix of every match, or undefined if there is none. */
export const literalPrefix = (pattern: string, options: string): string | undefined => {
  if (/[imx]/.test(options) || !/^(\^|\\A)/.test(pattern) || pattern.includes('|')) return undefined
  const body = [...pattern.replace(/^(\^|\\A)/, '')]
  let prefix = ''
  for (let i = 0; i < body.length; i++) {
    let char = body[i]!
    if (char === '\\') {
      char = body[++i] ?? ''
      if (char === '' || /\w/.test(char)) break
    } else if ('^$.*+?()[]{}|'.includes(char)) break
    const next = body[i + 1]
    if (next !== undefined && '*?{'.includes(next)) break
    prefix += char
    if (next === '+') break
  }
  return prefix === '' ? undefined : prefix
}
