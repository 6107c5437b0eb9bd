import type { Skipped, SliceLimits, Span } from '../json/scanner.js'
import { sliceEvents } from '../misp/slices.js'
import { packedStix } from '../packed/stix-in-misp.js'
import { parseObject } from '../stix/read.js'
import type { PiecePosition } from './opened.js'

/** Bytes of pieces after which the generator yields, so that other work can run. */
const YIELD_BYTES = 250_000

/**
 * Opens a file of MISP events. Embedded STIX objects are returned as attachment data in `packed`, by event.
 * @throws UnreadableFile
 */
export function* readEvents(
  bytes: Uint8Array,
  limits: SliceLimits,
): Generator<
  void,
  {
    spans: Span[]
    places: Extract<PiecePosition, { format: 'misp' }>[]
    skipped: Skipped[]
    packed: Map<number, [piece: number, n: number, data: string][]>
  }
> {
  const { spans, places, skipped } = yield* sliceEvents(bytes, limits)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const packed = new Map<number, [piece: number, n: number, data: string][]>()
  let seen = 0
  for (const [n, [start, end]] of spans.entries()) {
    const { type, lead, event } = places[n] ?? { type: '', lead: 0, event: 0 }
    if (type !== 'attribute') continue
    const part = packedStix(parseObject(decoder.decode(bytes.subarray(start + lead, end)), n + 1))
    if (part) packed.set(event, [...(packed.get(event) ?? []), [n, part.n, part.data]])
    seen += end - start
    if (seen > YIELD_BYTES) {
      seen = 0
      yield
    }
  }
  const named = places.map(place => Object.assign(place, { format: 'misp' as const }))
  return { spans, places: named, skipped, packed }
}
