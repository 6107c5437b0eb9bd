import { highestTlp, type Tlp } from '@iodine/contracts'
import { JsonScanner, OPEN, OPEN_LIST, type Skipped, type SliceLimits, type Span } from '../json/scanner.js'
import { keyOf, techniquesOf, tlpOfTags, versionOf } from './tags.js'

/** A position in an event: one of its pieces, and the offset in bytes. */
export interface Mark {
  piece: number
  at: number
}

/** Positions at which content can be added to an event. */
export interface Joints {
  /** After the last element of its lists; absent if it lacks the list. */
  lists: Partial<Record<AddedList, Mark & { filled: boolean }>>
  /** The value of its timestamp. */
  timestamp: (Mark & { length: number }) | null
  /** Before its closing bracket. */
  end: Mark & { filled: boolean }
}
export type AddedList = 'Attribute' | 'Object' | 'Tag'

/** Position of a piece in a MISP event. The concatenated pieces are the event. */
export interface EventPlace {
  /** Type of the piece, such as `attribute`. */
  type: string
  /** Bytes of the separator between the previous piece and this one. */
  lead: number
  /** First piece of its event, and of the object that contains it. */
  event: number
  object: number | null
  /** True for text that continues the event or the object of an earlier piece. */
  isText: boolean
  /** Strictest TLP level of its event and its object. */
  tlp: Tlp | null
  /** For the first piece of an event or an object: its UUID, its version, and its DISARM technique ids. */
  key?: string
  version?: string
  techniques?: string[]
  /** For the first piece of an event. */
  joints?: Joints
}

/** Lists whose elements are pieces, and the type of an element. */
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

const NOT_MISP = 'The file is not a MISP event.'

const isAdded = (name: string): name is AddedList =>
  name === 'Attribute' || name === 'Object' || name === 'Tag'

/** An event, or an object in it, that is being sliced. */
interface Body {
  /** First piece of the event, and of the object; null in the event itself. */
  event: number
  object: number | null
  /** Its first piece. */
  opening: number
  /** Its pieces that are no elements of lists. */
  texts: number[]
  /** Start of the next piece, and the bytes of the separator before it. */
  from: number
  lead: number
  lists: Partial<Record<AddedList, [position: number, filled: boolean]>>
  timestamp?: Span
  isFilled: boolean
}

/** Slices one file. */
class EventSlicer {
  readonly spans: Span[] = []
  readonly places: EventPlace[] = []
  readonly skipped: Skipped[] = []
  private readonly bytes: Uint8Array
  private readonly limits: SliceLimits
  private readonly scanner: JsonScanner
  private events = 0

  constructor(bytes: Uint8Array, limits: SliceLimits) {
    this.bytes = bytes
    this.limits = limits
    this.scanner = new JsonScanner(bytes, limits, () => this.nextName())
  }

  *file(): Generator<void> {
    const { scanner, spans, skipped } = this
    if (scanner.peek() === OPEN_LIST) yield* this.eventList()
    else yield* this.wrapped(['Event', 'response'])
    scanner.peek()
    if (scanner.at < this.bytes.length) scanner.broken()
    if (spans.length === 0) scanner.refuse(skipped[0]?.reason ?? NOT_MISP)
  }

  private nextName(): string {
    return `Object ${this.spans.length + 1}`
  }

  private refuseMany(): never {
    return this.scanner.refuse(`The file has more than ${this.limits.objects} objects.`)
  }

  /** Rejects a file whose next byte does not open the event, or the list of events. */
  private mustOpen(byte: number): void {
    if (this.bytes[this.scanner.at] !== byte) this.scanner.refuse(NOT_MISP)
  }

  private *eventList(): Generator<void> {
    const { scanner, spans, places, skipped, limits } = this
    this.mustOpen(OPEN_LIST)
    for (const _ of scanner.elements()) {
      if (scanner.isLong()) yield
      if (spans.length + skipped.length >= limits.objects) this.refuseMany()
      const before = spans.length
      const place = `Event ${++this.events}`
      const reason = yield* scanner.attempt(() => this.wrapped(['Event']))
      if (reason === undefined) continue
      // The limit of objects applies to the whole file.
      if (spans.length === limits.objects) this.refuseMany()
      spans.length = places.length = before
      skipped.push({ place, value: '', reason })
    }
  }

  /** Slices the event at the scanner, or the events in one of its members that `wrappers` name. */
  private *wrapped(wrappers: readonly string[]): Generator<void> {
    const { scanner } = this
    this.mustOpen(OPEN)
    const wrapper = this.findMember(wrappers)
    if (wrapper === undefined) {
      yield* this.body(this.spans.length, false, scanner.at)
      return
    }
    let isFound = false
    for (const name of scanner.members()) {
      if (name !== wrapper) scanner.value()
      else if (isFound) scanner.refuse(`The file has “${name}” twice.`)
      else if (name === 'response') yield* this.eventList()
      else {
        this.mustOpen(OPEN)
        yield* this.body(this.spans.length, false, scanner.at)
      }
      isFound ||= name === wrapper
    }
  }

  /** Returns the first member of the object at the scanner that `names` contain. */
  private findMember(names: readonly string[]): string | undefined {
    const { scanner } = this
    const start = scanner.at
    let found: string | undefined
    for (const name of scanner.members()) {
      if (names.includes(name)) {
        found = name
        break
      }
      scanner.value(Number.POSITIVE_INFINITY)
    }
    scanner.at = start
    return found
  }

  /**
   * Slices the event or the object at the scanner.
   * @param event first piece of the event
   * @param isObject whether it is an object in the event
   * @param from start of its separator
   */
  private *body(event: number, isObject: boolean, from: number): Generator<void> {
    const { scanner, bytes } = this
    const opening = this.spans.length
    const object = isObject ? opening : null
    const lead = scanner.at - from
    const body: Body = { event, object, opening, texts: [], from, lead, lists: {}, isFilled: false }
    for (const name of scanner.members()) {
      body.isFilled = true
      const start = scanner.at
      const isList = bytes[start] === OPEN_LIST
      if (isList && (Object.hasOwn(LISTS, name) || name === 'Tag')) yield* this.list(name, body)
      else {
        scanner.value()
        if (name === 'timestamp') body.timestamp = [start, scanner.at]
      }
    }
    this.pushText(body)
    this.describe(body)
  }

  /** Slices a list of an event or an object. */
  private *list(name: string, body: Body): Generator<void> {
    const { scanner, bytes } = this
    let last = scanner.at + 1
    let filled = false
    for (const _ of scanner.elements()) {
      if (name === 'Tag') scanner.value()
      else {
        if (bytes[scanner.at] !== OPEN) scanner.refuse(`${this.nextName()} of the file is not an object.`)
        if (!filled) this.pushText(body)
        if (name === 'Object' && body.object === null) yield* this.body(body.event, true, body.from)
        else this.pushElement(name, body)
        body.from = scanner.at
      }
      last = scanner.at
      filled = true
      if (scanner.isLong()) yield
    }
    if (isAdded(name)) body.lists[name] = [last, filled]
  }

  private pushElement(name: string, { from, event, object }: Body): void {
    const { scanner } = this
    const begin = scanner.at
    scanner.value()
    scanner.json(begin, scanner.at)
    const type = LISTS[name] as string
    this.push(from, scanner.at, { type, lead: begin - from, event, object, isText: false, tlp: null })
  }

  /** Ends the piece of text before the scanner. */
  private pushText(body: Body): void {
    const { event, object, texts, from, lead } = body
    const type = object === null ? 'event' : 'object'
    texts.push(this.spans.length)
    this.push(from, this.scanner.at, { type, lead, event, object, isText: texts.length > 1, tlp: null })
    body.lead = 0
    body.from = this.scanner.at
  }

  private push(from: number, to: number, place: EventPlace): void {
    const { objects, objectBytes } = this.limits
    if (to - from > objectBytes)
      this.scanner.refuse(`${this.nextName()} of the file is larger than ${objectBytes} bytes.`)
    if (this.spans.length === objects) this.refuseMany()
    this.spans.push([from, to])
    this.places.push(place)
  }

  /** Sets the properties of an event or an object that its text contains. */
  private describe({ object, opening, texts, lists, timestamp, isFilled }: Body): void {
    const text = this.parseTexts(texts)
    const first = this.places[opening] as EventPlace
    first.key = keyOf(text)
    first.version = versionOf(text)
    first.techniques = techniquesOf(text)
    const tlp = tlpOfTags(text)
    if (tlp) for (const place of this.places.slice(opening)) place.tlp = highestTlp([place.tlp, tlp])
    if (object !== null) return
    const isNamed = typeof text.info === 'string' || typeof text.uuid === 'string'
    if (!isNamed && !lists.Attribute && !lists.Object) this.scanner.refuse(NOT_MISP)
    first.joints = {
      lists: Object.fromEntries(
        Object.entries(lists).map(([name, [position, filled]]) => [
          name,
          { ...this.mark(texts, position), filled },
        ]),
      ),
      timestamp: timestamp
        ? { ...this.mark(texts, timestamp[0]), length: timestamp[1] - timestamp[0] }
        : null,
      end: { ...this.mark(texts, this.scanner.at - 1), filled: isFilled },
    }
  }

  /** Parses an event or an object without its lists' elements. */
  private parseTexts(texts: readonly number[]): Record<string, unknown> {
    const text = texts.map(n => {
      const [from = 0, to = 0] = this.spans[n] ?? []
      return this.scanner.text(from + (this.places[n]?.lead ?? 0), to)
    })
    try {
      return JSON.parse(text.join(''))
    } catch {
      return this.scanner.refuse(`${this.nextName()} of the file is not valid JSON.`)
    }
  }

  private mark(texts: readonly number[], position: number): Mark {
    const piece = texts.findLast(n => (this.spans[n]?.[0] ?? 0) <= position) ?? 0
    return { piece: piece - (texts[0] ?? 0), at: position - (this.spans[piece]?.[0] ?? 0) }
  }
}

/**
 * Finds the pieces of the MISP events in a file, so that each can be preserved unchanged. Supports `{Event}`,
 * `{response: [{Event}, …]}`, an array of events, and a bare event. Unreadable events of a list are skipped. Yields
 * regularly, so that other work can run.
 * @throws UnreadableFile for another structure, and beyond a limit
 */
export function* sliceEvents(
  bytes: Uint8Array,
  limits: SliceLimits,
): Generator<void, { spans: Span[]; places: EventPlace[]; skipped: Skipped[] }> {
  const slicer = new EventSlicer(bytes, limits)
  yield* slicer.file()
  const { spans, places, skipped } = slicer
  return { spans, places, skipped }
}
