import { highestTlp, type Tlp } from '@iodine/contracts'
import { techniqueOf } from '../disarm/read.js'
import type { SliceLimits } from '../json/scanner.js'
import { sliceObjects } from '../json/slices.js'
import { UnreadableFile } from '../read.js'
import { markingOf, parseObject, readStixObject } from '../stix/read.js'
import type { KnownPiece, OpenedFile } from './opened.js'

/** Markings that a file may define. */
const MARKINGS_MAX = 1_000
/** Bytes of objects after which other work gets a turn. */
const BREATH = 250_000

/** Opens a STIX bundle, a bare array of objects, or an object. Throws UnreadableFile. */
export function* openStix(bytes: Uint8Array, limits: SliceLimits): Generator<void, OpenedFile> {
  const { spans, envelope } = yield* sliceObjects(bytes, limits)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const markings = new Map<string, Tlp | null>()
  let seen = 0
  for (const [n, [start, end]] of spans.entries()) {
    let text: string
    try {
      text = decoder.decode(bytes.subarray(start, end))
    } catch {
      throw new UnreadableFile('The file is not UTF-8.')
    }
    const object = parseObject(text, n + 1)
    if (
      spans.length === 1 &&
      envelope === '[]' &&
      (typeof object.type !== 'string' || object.type === 'bundle')
    )
      throw new UnreadableFile('The file is neither a STIX bundle nor a STIX object.')
    const marking = markingOf(object)
    if (marking) {
      // Of an id that is defined twice, the strictest counts.
      const [id, level] = marking
      markings.set(id, highestTlp([markings.get(id), level]))
    }
    if (markings.size > MARKINGS_MAX) throw new UnreadableFile('The file defines too many markings.')
    seen += end - start
    if (seen > BREATH) {
      seen = 0
      yield
    }
  }
  if (spans.length === 0) throw new UnreadableFile('The file has no objects.')
  return { bytes, spans, markings, tlp: null, techniques: [] }
}

/** What is known of an object of a file. */
export const readStixPiece = (
  object: Readonly<Record<string, unknown>>,
  markings: OpenedFile['markings'],
): KnownPiece => {
  const technique = object.type === 'attack-pattern' ? techniqueOf(object) : undefined
  return { ...readStixObject(object, markings), techniques: technique ? [technique] : [] }
}
