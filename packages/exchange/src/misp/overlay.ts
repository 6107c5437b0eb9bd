import { type CampaignDetail, type Iod, LIMITS, rankOfTlp, type Tlp, USUAL_TLP } from '@iodine/contracts'
import { type ExportContext, versionOf } from '../campaign-file.js'
import { JsonScanner, OPEN_LIST } from '../json/scanner.js'
import { analystData, galaxyTag, levelOfEvent, type MispEvent, seconds, tlpTag, toElements } from './event.js'
import type { AddedList, EventPlace } from './slices.js'

/** A piece of a kept event. */
export interface EventPiece {
  raw: Uint8Array
  /** Its place in its file. */
  order: number
  place: Pick<EventPlace, 'lead' | 'object' | 'isText'>
  /** It is left out. */
  isHidden: boolean
  /** The IOD that it stands for. */
  iod: Iod | undefined
}

/** A kept event: what is known of it as a whole. */
export interface KeptEvent {
  /** Place of its first piece. */
  order: number
  version: string
  /** Its own level, and the strictest one in it. */
  tlp: Tlp | null
  strictest: Tlp | null
  /** Techniques that it names, anywhere in it. */
  techniques: ReadonlySet<string>
  joints: NonNullable<EventPlace['joints']>
}

/** What an event gets in addition, in JSON. */
export interface Additions {
  Attribute: (string | AsyncIterable<string | Uint8Array>)[]
  Object: string[]
  Tag: string[]
  /** Unix seconds of the latest change of what is added; null: the event is left untouched. */
  timestamp: string | null
}

/** Unix seconds of the latest change of what a campaign's file says. */
export const timestampOf = (detail: CampaignDetail, context: ExportContext): string =>
  seconds(versionOf(detail, context))

/**
 * What a campaign says beyond a kept event that is its own: IODs added later, techniques, a stricter level, evidence.
 * @param context its `standIns` are the attributes of the event
 * @param attachments further attributes, each one or several
 */
export const additionsOf = (
  detail: CampaignDetail,
  context: ExportContext,
  event: Pick<KeptEvent, 'tlp' | 'strictest' | 'techniques'>,
  attachments: readonly AsyncIterable<string>[] = [],
): Additions => {
  const { Attribute, Object: objects } = toElements(detail.iods, context)
  const level = levelOfEvent(detail, context)
  const added = Attribute.length + objects.length + attachments.length
  const isAbove = (other: Tlp | null) => rankOfTlp(level) > rankOfTlp(other ?? USUAL_TLP)
  // Marks inside the event stay where they are; what is added has only the event's.
  const isStricter = isAbove(event.strictest) || (added > 0 && isAbove(event.tlp))
  const techniques = (context.techniques ?? []).filter(({ id }) => !event.techniques.has(id))
  const tags = [...(isStricter ? [tlpTag(level)] : []), ...techniques.flatMap(galaxyTag)]
  const isSaid = detail.iods.some(({ votes, comments }) => votes.length + comments.length > 0)
  const isTouched = isSaid || added + tags.length > 0
  const [attributes, annotations, Tag] = [Attribute, objects, tags].map(all =>
    all.map(each => JSON.stringify(each)),
  )
  return {
    Attribute: [...(attributes ?? []), ...attachments],
    Object: annotations ?? [],
    Tag: Tag ?? [],
    timestamp: isTouched ? timestampOf(detail, context) : null,
  }
}

const UNBOUNDED = {
  objects: Number.POSITIVE_INFINITY,
  objectBytes: Number.POSITIVE_INFINITY,
  depth: LIMITS.jsonDepthMax,
}
const text = (given: string) => Buffer.from(given)

/** An element with further entries in lists of it, and otherwise as it is. Entries whose UUID it has are in it already. */
export const withEntries = (
  raw: Uint8Array,
  lists: Readonly<Record<string, readonly { uuid: string }[]>>,
): Uint8Array => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const missing = Object.entries(lists)
    .map(([name, all]) => [name, all.filter(({ uuid }) => !bytes.includes(uuid))] as const)
    .filter(([, all]) => all.length > 0)
  if (missing.length === 0) return raw
  const scanner = new JsonScanner(bytes, UNBOUNDED, () => 'An element')
  const found = new Map<string, { at: number; filled: boolean }>()
  let isFilled = false
  for (const name of scanner.members()) {
    isFilled = true
    if (bytes[scanner.at] !== OPEN_LIST) {
      found.delete(name)
      scanner.value()
      continue
    }
    let at = scanner.at + 1
    let filled = false
    for (const _ of scanner.elements()) {
      scanner.value()
      at = scanner.at
      filled = true
    }
    found.set(name, { at, filled })
  }
  const end = { at: scanner.at - 1, filled: isFilled }
  const added = missing.map(([name, all]) => {
    const entries = all.map(each => JSON.stringify(each)).join()
    const place = found.get(name)
    return place
      ? { at: place.at, text: `${place.filled ? ',' : ''}${entries}` }
      : { at: end.at, text: `${end.filled ? ',' : ''}"${name}":[${entries}]` }
  })
  added.sort((a, b) => a.at - b.at)
  const pieces: Uint8Array[] = []
  let from = 0
  for (const { at, text: each } of added) {
    pieces.push(bytes.subarray(from, at), text(each))
    from = at
  }
  return Buffer.concat([...pieces, bytes.subarray(from)])
}

/**
 * Writes a kept event: byte for byte, but for pieces that are left out, and for what is added. Votes and comments on an
 * IOD go into the attribute that stands for it.
 * @param pieces of the event, in their order
 */
export async function* overlayEvent(
  { order: first, version, joints }: KeptEvent,
  pieces: AsyncIterable<EventPiece>,
  additions: Additions,
): AsyncGenerator<Uint8Array> {
  const { lists, end, timestamp } = joints
  /** Whether the list that is being written has an element, in the event and in its present object. */
  const isBegun = { event: false, object: false }
  let object: number | null = null
  let isHiddenObject = false

  async function* entries(name: AddedList, comma: boolean): AsyncGenerator<Uint8Array> {
    let separator = comma ? ',' : ''
    for (const each of additions[name]) {
      if (separator) yield text(separator)
      separator = ','
      if (typeof each === 'string') yield text(each)
      else for await (const some of each) yield typeof some === 'string' ? text(some) : some
    }
  }
  async function* missingLists(): AsyncGenerator<Uint8Array> {
    let isFilled = end.filled
    for (const name of ['Tag', 'Attribute', 'Object'] as const) {
      if (lists[name] || additions[name].length === 0) continue
      yield text(`${isFilled ? ',' : ''}"${name}":[`)
      yield* entries(name, false)
      yield text(']')
      isFilled = true
    }
  }
  /** Text of the event, with what is added at its joints. */
  async function* joined({ raw, order }: EventPiece, wasBegun: boolean): AsyncGenerator<Uint8Array> {
    const own = order - first
    const joints: { at: number; skip: number; write: () => AsyncIterable<Uint8Array> | Uint8Array[] }[] = []
    for (const name of ['Attribute', 'Object', 'Tag'] as const) {
      const list = lists[name]
      if (list?.piece !== own) continue
      const comma = list.filled && (name === 'Tag' || wasBegun)
      joints.push({ at: list.at, skip: 0, write: () => entries(name, comma) })
    }
    if (
      timestamp?.piece === own &&
      additions.timestamp !== null &&
      Number(version) < Number(additions.timestamp)
    ) {
      const quote = raw[timestamp.at] === 0x22 ? '"' : ''
      const write = () => [text(`${quote}${additions.timestamp}${quote}`)]
      joints.push({ at: timestamp.at, skip: timestamp.length, write })
    }
    if (end.piece === own) joints.push({ at: end.at, skip: 0, write: missingLists })
    joints.sort((a, b) => a.at - b.at)
    let from = 0
    for (const { at, skip, write } of joints) {
      if (at > from) yield raw.subarray(from, at)
      yield* write()
      from = at + skip
    }
    yield raw.subarray(from)
  }

  for await (const piece of pieces) {
    const { raw, order, place, isHidden, iod } = piece
    if (place.object !== null && place.object !== object) {
      // The piece that an object begins with is an element of the event.
      object = place.object
      isHiddenObject = isHidden
      if (isHidden) continue
      yield isBegun.event ? raw : raw.subarray(place.lead)
      isBegun.event = true
      isBegun.object = false
      continue
    }
    if (place.object !== null) {
      if (isHiddenObject) continue
      if (place.isText) {
        yield raw
        isBegun.object = false
        continue
      }
    } else if (place.isText || order === first) {
      yield* joined(piece, isBegun.event)
      isBegun.event = false
      continue
    }
    if (isHidden) continue
    const level = place.object === null ? 'event' : 'object'
    if (isBegun[level]) yield raw.subarray(0, place.lead)
    isBegun[level] = true
    const element = raw.subarray(place.lead)
    const uuid = iod && uuidIn(element)
    yield iod ? withEntries(element, analystData(iod, uuid ?? '')) : element
  }
}

/** An event of our own in JSON, with further attributes. */
export async function* writeEvent(
  event: MispEvent['Event'],
  attachments: readonly AsyncIterable<string>[],
): AsyncGenerator<string> {
  const { Attribute, ...rest } = event
  const head = JSON.stringify(rest)
  yield `${head.slice(0, -1)},"Attribute":[`
  let separator = ''
  for (const each of Attribute) {
    yield `${separator}${JSON.stringify(each)}`
    separator = ','
  }
  for (const each of attachments) {
    yield separator
    yield* each
    separator = ','
  }
  yield ']}'
}

/** The UUID of an element; empty if it has none. */
const uuidIn = (raw: Uint8Array): string => {
  const { uuid } = JSON.parse(Buffer.from(raw).toString()) as { uuid?: unknown }
  return typeof uuid === 'string' ? uuid : ''
}
