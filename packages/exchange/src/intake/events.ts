import type { SliceLimits, Span } from '../json/scanner.js'
import { sliceEvents } from '../misp/slices.js'
import { packedStix } from '../packed/stix-in-misp.js'
import { UnreadableFile } from '../read.js'
import { parseObject } from '../stix/read.js'
import type { Place } from './opened.js'

/** Bytes of pieces after which other work gets a turn. */
const YIELD_BYTES = 250_000

/** Opens a file of MISP events, without what they hold packed. Throws UnreadableFile. */
export function* readEvents(
  bytes: Uint8Array,
  limits: SliceLimits,
): Generator<
  void,
  {
    spans: Span[]
    places: Extract<Place, { format: 'misp' }>[]
    packed: Map<number, [piece: number, n: number, data: string][]>
  }
> {
  const { spans, places } = yield* sliceEvents(bytes, limits)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const packed = new Map<number, [piece: number, n: number, data: string][]>()
  let seen = 0
  for (const [n, [start, end]] of spans.entries()) {
    const { type, lead, isText, event } = places[n] ?? { type: '', lead: 0, isText: true, event: 0 }
    // The text of events and objects was parsed when it was cut.
    if (isText || type === 'event' || type === 'object') continue
    let text: string
    try {
      text = decoder.decode(bytes.subarray(start + lead, end))
    } catch {
      throw new UnreadableFile('The file is not UTF-8.')
    }
    const element = parseObject(text, n + 1)
    const part = type === 'attribute' ? packedStix(element) : undefined
    if (part) packed.set(event, [...(packed.get(event) ?? []), [n, part.n, part.data]])
    seen += end - start
    if (seen > YIELD_BYTES) {
      seen = 0
      yield
    }
  }
  const named = places.map(place => Object.assign(place, { format: 'misp' as const }))
  return { spans, places: named, packed }
}
