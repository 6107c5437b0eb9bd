import { type CampaignDetail, DEFAULT_TLP, type Iod, LIMITS, rankOfTlp, type Tlp } from '@iodine/contracts'
import { type ExportContext, versionOf } from '../campaign-file.js'
import { JsonScanner, OPEN_LIST } from '../json/scanner.js'
import {
  analystData,
  galaxyTags,
  levelOfEvent,
  type MispEvent,
  seconds,
  tlpTag,
  toElements,
} from './event.js'
import type { AddedList, EventPlace } from './slices.js'

/** A piece of an imported event. */
export interface EventPiece {
  raw: Uint8Array
  /** Position in its file. */
  order: number
  place: Pick<EventPlace, 'lead' | 'object' | 'isText'>
  /** True if the written file leaves it out. */
  isHidden: boolean
  /** The IOD that it represents. */
  iod: Iod | undefined
}

/** Properties of an imported event. */
export interface ImportedEvent {
  /** Position of its first piece. */
  order: number
  version: string
  /** Its own level, and the strictest level in it. */
  tlp: Tlp | null
  strictest: Tlp | null
  /** DISARM technique ids in its tags and clusters. */
  techniques: ReadonlySet<string>
  joints: NonNullable<EventPlace['joints']>
}

/** Content added to an event, in JSON. */
export interface Additions {
  Attribute: (string | AsyncIterable<string | Uint8Array>)[]
  Object: string[]
  Tag: string[]
  /** Unix seconds of the latest change of the additions; null: the event stays unchanged. */
  timestamp: string | null
}

/** Returns the latest change of a campaign's file in Unix seconds. */
export const timestampOf = (detail: CampaignDetail, context: ExportContext): string =>
  seconds(versionOf(detail, context))

/**
 * Returns the content of a campaign that its imported event lacks: later IODs, techniques, a stricter level, evidence.
 * @param context its `standIns` are the attributes of the event
 * @param attachments further attributes, each one or several
 */
export const additionsOf = (
  detail: CampaignDetail,
  context: ExportContext,
  event: Pick<ImportedEvent, 'tlp' | 'strictest' | 'techniques'>,
  attachments: readonly AsyncIterable<string>[] = [],
): Additions => {
  const { Attribute, Object: objects } = toElements(detail.iods, context)
  const level = levelOfEvent(detail, context)
  const added = Attribute.length + objects.length + attachments.length
  const isAbove = (other: Tlp | null) => rankOfTlp(level) > rankOfTlp(other ?? DEFAULT_TLP)
  // Elements of the event keep their own level; additions have only the event's level.
  const isStricter = isAbove(event.strictest) || (added > 0 && isAbove(event.tlp))
  const tags = [
    ...(isStricter ? [tlpTag(level)] : []),
    ...galaxyTags(context.techniques ?? [], event.techniques),
  ]
  const hasComments = detail.iods.some(({ votes, comments }) => votes.length + comments.length > 0)
  const isChanged = hasComments || added + tags.length > 0
  const [attributes, annotations, Tag] = [Attribute, objects, tags].map(all =>
    all.map(each => JSON.stringify(each)),
  )
  return {
    Attribute: [...(attributes ?? []), ...attachments],
    Object: annotations ?? [],
    Tag: Tag ?? [],
    timestamp: isChanged ? timestampOf(detail, context) : null,
  }
}

const UNBOUNDED = {
  objects: Number.POSITIVE_INFINITY,
  objectBytes: Number.POSITIVE_INFINITY,
  depth: LIMITS.jsonDepthMax,
}
const text = (given: string) => Buffer.from(given)

/**
 * Returns an element with further entries in its lists, otherwise unchanged. Entries whose UUID it contains are
 * skipped.
 */
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
    const list = found.get(name)
    return list
      ? { at: list.at, text: `${list.filled ? ',' : ''}${entries}` }
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

/** An imported event, and its additions. */
interface Overlay {
  event: ImportedEvent
  additions: Additions
}

const ADDED_LISTS = ['Attribute', 'Object', 'Tag'] as const

/** Writes the additional elements of a list. @param comma whether the list has an element before */
async function* addedTo({ additions }: Overlay, name: AddedList, comma: boolean): AsyncGenerator<Uint8Array> {
  let separator = comma ? ',' : ''
  for (const each of additions[name]) {
    if (separator) yield text(separator)
    separator = ','
    if (typeof each === 'string') yield text(each)
    else for await (const some of each) yield typeof some === 'string' ? text(some) : some
  }
}

/** Writes the additional elements of the lists that the event lacks. */
async function* missingLists(overlay: Overlay): AsyncGenerator<Uint8Array> {
  const { lists, end } = overlay.event.joints
  let isFilled = end.filled
  for (const name of ['Tag', 'Attribute', 'Object'] as const) {
    if (lists[name] || overlay.additions[name].length === 0) continue
    yield text(`${isFilled ? ',' : ''}"${name}":[`)
    yield* addedTo(overlay, name, false)
    yield text(']')
    isFilled = true
  }
}

/** Content to write at an offset, in place of `skip` bytes. */
interface Insertion {
  at: number
  skip: number
  write: () => AsyncIterable<Uint8Array> | Uint8Array[]
}

/**
 * Returns the insertions into a piece of the event's text, in their order.
 * @param hasElement whether an element of the list before the piece has been written
 */
const insertionsInto = (overlay: Overlay, { raw, order }: EventPiece, hasElement: boolean): Insertion[] => {
  const { additions, event } = overlay
  const { lists, end, timestamp } = event.joints
  const own = order - event.order
  const found: Insertion[] = []
  for (const name of ADDED_LISTS) {
    const list = lists[name]
    if (list?.piece !== own) continue
    const comma = list.filled && (name === 'Tag' || hasElement)
    found.push({ at: list.at, skip: 0, write: () => addedTo(overlay, name, comma) })
  }
  const { timestamp: latest } = additions
  if (timestamp?.piece === own && latest !== null && Number(event.version) < Number(latest)) {
    const quote = raw[timestamp.at] === 0x22 ? '"' : ''
    const write = () => [text(`${quote}${latest}${quote}`)]
    found.push({ at: timestamp.at, skip: timestamp.length, write })
  }
  if (end.piece === own) found.push({ at: end.at, skip: 0, write: () => missingLists(overlay) })
  return found.sort((a, b) => a.at - b.at)
}

/** Writes a piece of the event's text with its insertions. */
async function* eventText(
  overlay: Overlay,
  piece: EventPiece,
  hasElement: boolean,
): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const { at, skip, write } of insertionsInto(overlay, piece, hasElement)) {
    if (at > from) yield piece.raw.subarray(from, at)
    yield* write()
    from = at + skip
  }
  yield piece.raw.subarray(from)
}

/** Returns an element of a list; adds the IOD's votes and comments to an attribute that represents an IOD. */
const elementOf = ({ raw, place, iod }: EventPiece): Uint8Array => {
  const element = raw.subarray(place.lead)
  return iod ? withEntries(element, analystData(iod, uuidIn(element))) : element
}

/**
 * Writes an imported event: unchanged, except for hidden pieces and additions. Votes and comments on an IOD are added
 * to the attribute that represents it.
 * @param pieces of the event, in their order
 */
export async function* overlayEvent(
  event: ImportedEvent,
  pieces: AsyncIterable<EventPiece>,
  additions: Additions,
): AsyncGenerator<Uint8Array> {
  const overlay = { event, additions }
  /** Whether the current list has an element, in the event and in its current object. */
  const hasElement = { event: false, object: false }
  let object: number | null = null
  let isHiddenObject = false

  for await (const piece of pieces) {
    const { raw, order, place, isHidden } = piece
    if (place.object !== null && place.object !== object) {
      // The first piece of an object is an element of the event.
      object = place.object
      isHiddenObject = isHidden
      if (isHidden) continue
      yield hasElement.event ? raw : raw.subarray(place.lead)
      hasElement.event = true
      hasElement.object = false
      continue
    }
    if (place.object !== null) {
      if (isHiddenObject) continue
      if (place.isText) {
        yield raw
        hasElement.object = false
        continue
      }
    } else if (place.isText || order === event.order) {
      yield* eventText(overlay, piece, hasElement.event)
      hasElement.event = false
      continue
    }
    if (isHidden) continue
    const level = place.object === null ? 'event' : 'object'
    if (hasElement[level]) yield raw.subarray(0, place.lead)
    hasElement[level] = true
    yield elementOf(piece)
  }
}

/** Writes an event of Iodine in JSON, with further attributes. */
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

/** Returns the UUID of an element; empty if it has none. */
const uuidIn = (raw: Uint8Array): string => {
  const { uuid } = JSON.parse(Buffer.from(raw).toString()) as { uuid?: unknown }
  return typeof uuid === 'string' ? uuid : ''
}
