import { type Extraction, extraction, isFilled, LIMITS } from '@iodine/contracts'

export type Triplet = Extraction['triplets'][number]

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Replaces control characters by spaces and truncates to the limit. */
const cut = (part: string): string =>
  part
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, LIMITS.tripletPartMax)
    // The truncation may have split a surrogate pair.
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed()

/** Names that models use for the parts of a triplet. */
const PART_NAMES = {
  subject: ['subject', 'subj', 's', 'head'],
  verb: ['verb', 'predicate', 'relation', 'v', 'p'],
  object: ['object', 'obj', 'o', 'tail'],
} as const

/** Parses a triplet in one of the forms that models write; undefined for other values. */
const asTriplet = (value: unknown): Triplet | undefined => {
  const named: Record<string, unknown> = isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name.toLowerCase(), each]))
    : {}
  const partOf = (part: keyof typeof PART_NAMES, at: number): unknown =>
    Array.isArray(value)
      ? value.length === 3 && value[at]
      : named[PART_NAMES[part].find(name => name in named) ?? '']
  const [subject, verb, object] = [partOf('subject', 0), partOf('verb', 1), partOf('object', 2)]
  if (typeof subject !== 'string' || typeof verb !== 'string' || typeof object !== 'string') return undefined
  return { subject: cut(subject), verb: cut(verb), object: cut(object) }
}

/** Maximum depth of nested objects that are searched, such as `{"result": {"triplets": […]}}`. */
const DEPTH_MAX = 5

const inList = (list: readonly unknown[]): Triplet[] | undefined => {
  const triplets = list.map(asTriplet).filter(each => each !== undefined)
  return triplets.length > 0 ? triplets : undefined
}

/** Finds the triplets in parsed JSON: a list, or an object that contains one. Undefined if there is none. */
const findTriplets = (json: unknown, depth = 0): Triplet[] | undefined => {
  if (depth > DEPTH_MAX) return undefined
  if (typeof json === 'string')
    return depth > 0 && /^\s*[[{]/.test(json) ? findTriplets(parsed(json), depth + 1) : undefined
  if (Array.isArray(json)) {
    if (json.length === 0 && depth === 0) return []
    const found = inList(json)
    if (found) return found
    for (const each of json) {
      const within = typeof each === 'object' ? findTriplets(each, depth + 1) : undefined
      if (within) return within
    }
    return undefined
  }
  if (!isObject(json)) return undefined
  for (const [name, value] of Object.entries(json))
    if (/^(?:triplets?|triples?)$/i.test(name) && Array.isArray(value) && value.length === 0) return []
  const single = asTriplet(json)
  if (single) return [single]
  for (const value of Object.values(json)) {
    const within = findTriplets(value, depth + 1)
    if (within) return within
  }
  return undefined
}

/** Matches strings, which are preserved, and invalid JSON: NaN, infinity, and trailing commas. */
const NOT_JSON = /"(?:\\.|[^"\\])*"?|-?\b(?:NaN|Infinity)\b|,(?=\s*[}\]])/g

/** Parses JSON, also with NaN, infinity or trailing commas; undefined for other text. */
export const parsed = (text: string): unknown => {
  for (const each of [
    text,
    text.replace(NOT_JSON, found => (found.startsWith('"') ? found : found === ',' ? '' : 'null')),
  ])
    try {
      return JSON.parse(each)
    } catch {
      // The next form may be JSON.
    }
  return undefined
}

/** Maximum length: exceeds 200 triplets of full length with each character escaped. */
export const CONTENT_MAX = 2_000_000
/** Characters that are scanned for JSON within a text; each attempt costs at least `TRY_COST`. */
const SCANNED_MAX = 4_000_000
const TRY_COST = 200

/** Returns the end of the JSON value that begins at `start`; undefined if it is incomplete. */
const endOfJson = (text: string, start: number): number | undefined => {
  let depth = 0
  let isQuoted = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (isQuoted) {
      if (char === '\\') at++
      else if (char === '"') isQuoted = false
    } else if (char === '"') isQuoted = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
  return undefined
}

/**
 * Yields the JSON values within a text that contains more, in order, with their positions: `json` is undefined where a
 * bracket begins none. A total of 4 million characters is scanned.
 */
export function* jsonsIn(text: string): Generator<{ start: number; end: number | undefined; json: unknown }> {
  let scanned = 0
  for (let at = 0; scanned < SCANNED_MAX; ) {
    const next = text.slice(at).search(/[[{]/)
    if (next < 0) return
    const start = at + next
    const end = endOfJson(text, start)
    scanned += Math.max(TRY_COST, (end ?? text.length) - start)
    yield { start, end, json: end && parsed(text.slice(start, end)) }
    at = end ?? start + 1
  }
}

/** Separator of triplets in JSON lines or in a Markdown list. */
const SEPARATOR = /^[\s,;]*(?:[-*•]|\d{1,3}[.)])?$/

/** Finds the last triplets within a text that contains more than JSON. Consecutive single triplets form one list. */
const findLast = (text: string): Triplet[] | undefined => {
  let found: Triplet[] | undefined
  /** End of the last triplet, if it was a single one. */
  let singleEnd: number | undefined
  for (const { start, end, json } of jsonsIn(text)) {
    const here = findTriplets(json)
    // An empty list within a text does not replace triplets.
    if (here && (here.length > 0 || !found)) {
      const isNext = singleEnd !== undefined && SEPARATOR.test(text.slice(singleEnd, start).trim())
      const isSingle = isObject(json) && asTriplet(json) !== undefined
      if (found && isSingle && isNext) found.push(...here)
      else found = here
      singleEnd = isSingle ? end : undefined
    }
  }
  return found
}

/** End of a model's reasoning, which precedes its answer. */
const THOUGHTS_END = /<\/(?:think|thinking|thought|reasoning|reflection)>|◁\/think▷/gi

/** A text that consists of one fenced block. */
const FENCE = /^```\w*\s(.*)```$/s

/**
 * Parses the triplets in a model's text, within the limits: the whole text, a fenced block, or JSON within other text,
 * of which the last counts. Undefined if there is none.
 */
export const parseTriplets = (content: string): Triplet[] | undefined => {
  if (content.length > CONTENT_MAX) return undefined
  const whole = content.replace(/^\ufeff/, '').trim()
  const end = [...whole.matchAll(THOUGHTS_END)].at(-1)
  const answer = end ? whole.slice(end.index + end[0].length).trim() : whole
  // A triplet may quote an end of reasoning.
  const found =
    findTriplets(parsed(whole.replace(FENCE, '$1'))) ??
    (end && findTriplets(parsed(answer))) ??
    findLast(answer) ??
    (end && findLast(whole))
  if (!found) return undefined
  const triplets = found
    .filter(({ subject, verb, object }) => [subject, verb, object].every(isFilled))
    .slice(0, LIMITS.tripletsMax)
  return extraction.parse({ triplets }).triplets
}

/** Content of a completion. */
interface Answer {
  /** Texts that may contain the triplets, the most likely first. */
  texts: string[]
  /** The provider refused to answer. */
  refused: boolean
  /** The answer is truncated. */
  cutOff: boolean
  /** The error in a response with a success status. */
  error: unknown
}

/** Returns the text of a content: a string, a list of parts, or an object. */
const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content
  if (Array.isArray(content))
    return content
      .map(part => {
        if (typeof part === 'string') return part
        const isText = isObject(part) && !/think|reason|refusal/i.test(String(part.type ?? ''))
        return isText && typeof part.text === 'string' ? part.text : ''
      })
      .join('')
  return isObject(content) ? JSON.stringify(content) : ''
}

/** Reads a body of `POST /chat/completions` as providers send it. */
export const readAnswer = (given: unknown): Answer => {
  // The SDK parses only bodies of one media type.
  const body = typeof given === 'string' ? parsed(given) : given
  const whole = isObject(body) ? body : {}
  const choice: unknown = Array.isArray(whole.choices) ? whole.choices[0] : whole
  const chosen = isObject(choice) ? choice : {}
  const { message, finish_reason, text, error } = chosen
  const reply = isObject(message) ? message : chosen
  const calls = [
    ...(Array.isArray(reply.tool_calls) ? reply.tool_calls : []),
    { function: reply.function_call },
  ]
  const called = calls.map(call =>
    textOf(isObject(call) && isObject(call.function) && call.function.arguments),
  )
  const parts = Array.isArray(reply.content) ? reply.content : []
  const finish = String(finish_reason ?? '')
  return {
    texts: [reply.content, text, reply.parsed, ...called, reply.reasoning_content, reply.reasoning]
      .map(textOf)
      .filter(each => each.trim() !== ''),
    refused:
      Boolean(reply.refusal) ||
      parts.some(part => isObject(part) && part.type === 'refusal') ||
      /content_?filter|safety|prohibited|moderation/i.test(finish),
    cutOff: /^(?:length|max_tokens|model_length)$/i.test(finish),
    error: whole.error ?? error,
  }
}
