import type { SliceLimits } from '../json/scanner.js'
import { sliceEvents } from '../misp/slices.js'
import { UnreadableFile } from '../read.js'
import { parseObject } from '../stix/read.js'
import type { OpenedFile } from './opened.js'

/** Bytes of pieces after which other work gets a turn. */
const BREATH = 250_000

/** Opens a file of MISP events. Throws UnreadableFile. */
export function* openMisp(bytes: Uint8Array, limits: SliceLimits): Generator<void, OpenedFile> {
  const { spans, places } = yield* sliceEvents(bytes, limits)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let seen = 0
  for (const [n, [start, end]] of spans.entries()) {
    const { type, lead, isText } = places[n] ?? { type: '', lead: 0, isText: true }
    // The text of events and objects was parsed when it was cut.
    if (isText || type === 'event' || type === 'object') continue
    let text: string
    try {
      text = decoder.decode(bytes.subarray(start + lead, end))
    } catch {
      throw new UnreadableFile('The file is not UTF-8.')
    }
    parseObject(text, n + 1)
    seen += end - start
    if (seen > BREATH) {
      seen = 0
      yield
    }
  }
  return {
    bytes,
    spans,
    places: places.map(place => ({ format: 'misp', ...place })),
    markings: new Map(),
    tlp: null,
    techniques: [],
  }
}
