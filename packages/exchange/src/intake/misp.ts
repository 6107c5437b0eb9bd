import type { SliceLimits } from '../json/scanner.js'
import { UnreadableFile } from '../read.js'
import { readEvents } from './events.js'
import { readObjects } from './objects.js'
import type { OpenedFile, PiecePosition } from './opened.js'

/**
 * Opens a file of MISP events. Embedded STIX objects become separate pieces.
 * @throws UnreadableFile
 */
export function* openMisp(bytes: Uint8Array, limits: SliceLimits): Generator<void, OpenedFile> {
  const { spans, places, skipped, packed } = yield* readEvents(bytes, limits)
  const file: OpenedFile & { places: PiecePosition[] } = {
    bytes,
    spans,
    places,
    skipped,
    markings: new Map(),
    tlp: null,
    techniques: [],
  }
  for (const parts of packed.values()) {
    const data = parts.sort(([, a], [, b]) => a - b).map(([, , text]) => Buffer.from(text, 'base64'))
    const bundle = Buffer.concat(data)
    try {
      const opened = yield* readObjects(bundle, { ...limits, objects: limits.objects - file.spans.length })
      const before = file.bytes.length
      file.bytes = Buffer.concat([file.bytes, bundle])
      for (const [from, to] of opened.spans) {
        file.spans.push([from + before, to + before])
        file.places.push({ format: 'stix' })
      }
      file.markings = new Map([...file.markings, ...opened.markings])
      for (const [piece] of parts) {
        const place = file.places[piece]
        if (place) place.isPacked = true
      }
    } catch (error) {
      // Another attachment of that name: it stays an attribute.
      if (!(error instanceof UnreadableFile)) throw error
    }
  }
  return file
}
