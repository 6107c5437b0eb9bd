import { highestTlp, type Tlp } from '@iodine/contracts'
import type { SliceLimits } from '../json/scanner.js'
import { sliceObjects } from '../json/slices.js'
import { isMadeOfMisp, packedEvent } from '../packed/misp-in-stix.js'
import { UnreadableFile } from '../read.js'
import { isOurs } from '../stix/ours.js'
import { markingOf, parseObject } from '../stix/read.js'
import type { OpenedFile } from './opened.js'

/** Maximum markings that a file may define. */
const MARKINGS_MAX = 1_000
/** Bytes of objects after which the generator yields, so that other work can run. */
const YIELD_BYTES = 250_000

/** The parts of an embedded MISP event; each is a piece. */
interface PackedEvent {
  pieces: number[]
  parts: { n: number; text: string }[]
}

/**
 * Opens a STIX bundle, an array of objects, or an object. Embedded MISP events are returned in `events`.
 * @throws UnreadableFile
 */
export function* readObjects(
  bytes: Uint8Array,
  limits: SliceLimits,
): Generator<
  void,
  Pick<OpenedFile, 'spans' | 'skipped' | 'markings'> & { isOwn: boolean } & {
    events: Map<string, PackedEvent>
    madeOfMisp: number[]
  }
> {
  const { spans, skipped, envelope } = yield* sliceObjects(bytes, limits)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const markings = new Map<string, Tlp | null>()
  const events = new Map<string, PackedEvent>()
  const madeOfMisp: number[] = []
  let isOwn = envelope !== '[]'
  let seen = 0
  for (const [n, [start, end]] of spans.entries()) {
    const object = parseObject(decoder.decode(bytes.subarray(start, end)), n + 1)
    if (
      spans.length === 1 &&
      envelope === '[]' &&
      (typeof object.type !== 'string' || object.type === 'bundle')
    )
      throw new UnreadableFile('The file is neither a STIX bundle nor a STIX object.')
    isOwn &&= isOurs(object)
    if (isMadeOfMisp(object)) madeOfMisp.push(n)
    const part = packedEvent(object)
    if (part) {
      const event = events.get(part.uuid) ?? { pieces: [], parts: [] }
      event.pieces.push(n)
      event.parts.push(part)
      events.set(part.uuid, event)
    }
    const marking = markingOf(object)
    if (marking) {
      // For duplicate ids, the strictest level applies.
      const [id, level] = marking
      markings.set(id, highestTlp([markings.get(id), level]))
    }
    if (markings.size > MARKINGS_MAX) throw new UnreadableFile('The file defines too many markings.')
    seen += end - start
    if (seen > YIELD_BYTES) {
      seen = 0
      yield
    }
  }
  if (spans.length === 0) throw new UnreadableFile(skipped[0]?.reason ?? 'The file has no objects.')
  return { spans, skipped, markings, events, madeOfMisp, isOwn: isOwn && events.size === 0 }
}
