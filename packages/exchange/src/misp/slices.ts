import { highestTlp, type Tlp } from '@iodine/contracts'
import { JsonScanner, OPEN, OPEN_LIST, type Skipped, type SliceLimits, type Span } from '../json/scanner.js'
import { keyOf, techniquesOf, tlpOfTags, versionOf } from './tags.js'

/** A place in an event: in which of its pieces, and how many bytes into it. */
export interface Mark {
  piece: number
  at: number
}

/** Where something can be added to an event without changing what it says. */
export interface Joints {
  /** After the last element of its lists; absent where it lacks the list. */
  lists: Partial<Record<AddedList, Mark & { filled: boolean }>>
  /** The value of its timestamp. */
  timestamp: (Mark & { length: number }) | null
  /** Before its closing bracket. */
  end: Mark & { filled: boolean }
}
export type AddedList = 'Attribute' | 'Object' | 'Tag'

/** Where a piece of a MISP event stands. Pieces one after the other are the event. */
export interface EventPlace {
  /** What it is, such as `attribute`. */
  type: string
  /** Bytes of the separator between it and the piece before, which belongs to neither. */
  lead: number
  /** The piece that its event begins with, and the one that its object begins with if it is in one. */
  event: number
  object: number | null
  /** It goes on with the event or the object that another piece begins. */
  isText: boolean
  /** Level of its event, and of its object. */
  tlp: Tlp | null
  /** Of the piece that an event or an object begins with: its UUID, its version, techniques of DISARM that it names. */
  key?: string
  version?: string
  techniques?: string[]
  /** Of the piece that an event begins with. */
  joints?: Joints
}

/** Lists whose elements are pieces, and what an element is called. */
const LISTS: Readonly<Record<string, string>> = {
  Attribute: 'attribute',
  Object: 'object',
  ObjectReference: 'object-reference',
  EventReport: 'event-report',
  Galaxy: 'galaxy',
  Note: 'note',
  Opinion: 'opinion',
  Relationship: 'relationship',
  RelatedEvent: 'related-event',
  ShadowAttribute: 'proposal',
  Sighting: 'sighting',
}

/**
 * Finds the pieces of the MISP events in a file, so that each can be kept byte for byte: `{Event}`, `{response: [{Event}, …]}`, a bare
 * array of either, or the event itself. Of several events, one that can't be read is left out. Yields now and then, for others
 * to get a turn.
 * @throws UnreadableFile for what is none, and past a limit
 */
export function* sliceEvents(
  bytes: Uint8Array,
  limits: SliceLimits,
): Generator<void, { spans: Span[]; places: EventPlace[]; skipped: Skipped[] }> {
  const spans: Span[] = []
  const skipped: Skipped[] = []
  const places: EventPlace[] = []
  const scanner = new JsonScanner(bytes, limits, () => `Object ${spans.length + 1}`)
  const refuseMany = (): never => scanner.refuse(`The file has more than ${limits.objects} objects.`)
  const notMisp = (): never => scanner.refuse('The file is no MISP event.')

  const push = (from: number, to: number, place: EventPlace) => {
    if (to - from > limits.objectBytes)
      scanner.refuse(`Object ${spans.length + 1} of the file is larger than ${limits.objectBytes} bytes.`)
    if (spans.length === limits.objects) refuseMany()
    spans.push([from, to])
    places.push(place)
  }
  const parse = (text: string): Record<string, unknown> => {
    try {
      return JSON.parse(text)
    } catch {
      return scanner.refuse(`Object ${spans.length + 1} of the file is not valid JSON.`)
    }
  }
  /** What the pieces of an event or an object say beside their lists' elements. */
  const parseText = (pieces: readonly number[]): Record<string, unknown> => {
    const text = pieces.map(n => {
      const [from = 0, to = 0] = spans[n] ?? []
      return scanner.text(from + (places[n]?.lead ?? 0), to)
    })
    return parse(text.join(''))
  }
  const mark = (pieces: readonly number[], position: number): Mark => {
    const piece = pieces.findLast(n => (spans[n]?.[0] ?? 0) <= position) ?? 0
    return { piece: piece - (pieces[0] ?? 0), at: position - (spans[piece]?.[0] ?? 0) }
  }

  /**
   * Goes through the event or the object at the scanner.
   * @param event the piece that the event begins with
   * @param isObject whether it is an object in it
   * @param before where its separator begins
   */
  function* body(event: number, isObject: boolean, before: number): Generator<void> {
    const opening = spans.length
    const object = isObject ? opening : null
    const texts: number[] = []
    let from = before
    let lead = scanner.at - before
    const pushText = (to: number) => {
      const type = isObject ? 'object' : 'event'
      texts.push(spans.length)
      push(from, to, { type, lead, event, object, isText: texts.length > 1, tlp: null })
      lead = 0
      from = to
    }
    const lists: Partial<Record<AddedList, [position: number, filled: boolean]>> = {}
    let timestamp: [from: number, to: number] | undefined
    let isFilled = false
    for (const name of scanner.members()) {
      isFilled = true
      const start = scanner.at
      const isList = bytes[start] === OPEN_LIST
      if (!isList || !(Object.hasOwn(LISTS, name) || name === 'Tag')) {
        scanner.value()
        if (name === 'timestamp') timestamp = [start, scanner.at]
        continue
      }
      let last = start + 1
      let filled = false
      for (const _ of scanner.elements()) {
        if (name === 'Tag') scanner.value()
        else {
          if (bytes[scanner.at] !== OPEN) scanner.refuse(`Object ${spans.length + 1} of the file is none.`)
          if (!filled) pushText(scanner.at)
          if (name === 'Object' && !isObject) yield* body(event, true, from)
          else {
            const begin = scanner.at
            scanner.value()
            scanner.json(begin, scanner.at)
            const type = LISTS[name] as string
            push(from, scanner.at, { type, lead: begin - from, event, object, isText: false, tlp: null })
          }
          from = scanner.at
        }
        last = scanner.at
        filled = true
        if (scanner.isLong()) yield
      }
      if (name === 'Attribute' || name === 'Object' || name === 'Tag') lists[name] = [last, filled]
    }
    pushText(scanner.at)
    const text = parseText(texts)
    const begun = places[opening] as EventPlace
    begun.key = keyOf(text)
    begun.version = versionOf(text)
    begun.techniques = techniquesOf(text)
    const tlp = tlpOfTags(text)
    if (tlp) for (const place of places.slice(opening)) place.tlp = highestTlp([place.tlp, tlp])
    if (isObject) return
    const isNamed = typeof text.info === 'string' || typeof text.uuid === 'string'
    if (!isNamed && !lists.Attribute && !lists.Object) notMisp()
    begun.joints = {
      lists: Object.fromEntries(
        Object.entries(lists).map(([name, [position, filled]]) => [
          name,
          { ...mark(texts, position), filled },
        ]),
      ),
      timestamp: timestamp ? { ...mark(texts, timestamp[0]), length: timestamp[1] - timestamp[0] } : null,
      end: { ...mark(texts, scanner.at - 1), filled: isFilled },
    }
  }
  /** Goes through an event, or what wraps events. */
  function* wrapped(wrappers: readonly string[]): Generator<void> {
    if (bytes[scanner.at] !== OPEN) notMisp()
    const start = scanner.at
    let wrapper: string | undefined
    for (const name of scanner.members()) {
      if (wrappers.includes(name)) {
        wrapper = name
        break
      }
      scanner.value(Number.POSITIVE_INFINITY)
    }
    scanner.at = start
    if (wrapper === undefined) {
      yield* body(spans.length, false, scanner.at)
      return
    }
    let isFound = false
    for (const name of scanner.members()) {
      if (name !== wrapper) scanner.value()
      else if (isFound) scanner.refuse(`The file has “${name}” twice.`)
      else if (name === 'response') yield* list()
      else {
        if (bytes[scanner.at] !== OPEN) notMisp()
        yield* body(spans.length, false, scanner.at)
      }
      isFound ||= name === wrapper
    }
  }
  let events = 0
  function* list(): Generator<void> {
    if (bytes[scanner.at] !== OPEN_LIST) notMisp()
    for (const _ of scanner.elements()) {
      if (scanner.isLong()) yield
      if (spans.length + skipped.length >= limits.objects) refuseMany()
      const before = spans.length
      const place = `Event ${++events}`
      const reason = yield* scanner.attempt(() => wrapped(['Event']))
      if (reason === undefined) continue
      // Too many objects: the limit is the file's.
      if (spans.length === limits.objects) refuseMany()
      spans.length = places.length = before
      skipped.push({ place, value: '', reason })
    }
  }

  if (scanner.peek() === OPEN_LIST) yield* list()
  else yield* wrapped(['Event', 'response'])
  scanner.peek()
  if (scanner.at < bytes.length) scanner.broken()
  if (spans.length === 0) scanner.refuse(skipped[0]?.reason ?? 'The file is no MISP event.')
  return { spans, places, skipped }
}
