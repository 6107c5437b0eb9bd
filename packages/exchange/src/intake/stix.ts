import { techniqueOf } from '../disarm/read.js'
import type { SliceLimits } from '../json/scanner.js'
import { UnreadableFile } from '../read.js'
import { readStixObject } from '../stix/read.js'
import { readEvents } from './events.js'
import { readObjects } from './objects.js'
import type { OpenedFile, ParsedPiece, PiecePosition } from './opened.js'

/**
 * Opens a STIX file. Embedded MISP events become separate pieces.
 * @throws UnreadableFile
 */
export function* openStix(bytes: Uint8Array, limits: SliceLimits): Generator<void, OpenedFile> {
  const { spans, skipped, markings, events, madeOfMisp, isOwn } = yield* readObjects(bytes, limits)
  const file: OpenedFile = { bytes, spans, skipped, markings, tlp: null, techniques: [], isOwn }
  if (events.size === 0) return file
  const places: PiecePosition[] = spans.map(() => ({ format: 'stix' }))
  const packed = new Set<number>()
  for (const { pieces, parts } of events.values()) {
    parts.sort((a, b) => a.n - b.n)
    const event = Buffer.from(parts.map(({ text }) => text).join(''))
    try {
      const opened = yield* readEvents(event, { ...limits, objects: limits.objects - spans.length })
      const before = file.bytes.length
      const first = spans.length
      file.bytes = Buffer.concat([file.bytes, event])
      for (const [n, [from, to]] of opened.spans.entries()) {
        spans.push([from + before, to + before])
        const place = opened.places[n] as (typeof opened.places)[number]
        const object = place.object === null ? null : place.object + first
        places.push({ ...place, event: place.event + first, object })
      }
      for (const piece of pieces) packed.add(piece)
    } catch (error) {
      // A part is missing: the parts stay STIX objects.
      if (!(error instanceof UnreadableFile)) throw error
    }
  }
  // The next export regenerates the objects that Iodine created from attributes.
  if (packed.size > 0)
    for (const n of [...packed, ...madeOfMisp]) places[n] = { format: 'stix', isPacked: true }
  return { ...file, places }
}

/** Parses a STIX object. */
export const readStixPiece = (
  object: Readonly<Record<string, unknown>>,
  markings: OpenedFile['markings'],
): ParsedPiece => {
  const technique = object.type === 'attack-pattern' ? techniqueOf(object) : undefined
  return { ...readStixObject(object, markings), techniques: technique ? [technique] : [] }
}
