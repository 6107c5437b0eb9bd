import {
  CLOSE_LIST,
  JsonScanner,
  OPEN,
  OPEN_LIST,
  type Skipped,
  type SliceLimits,
  type Span,
} from './scanner.js'

/**
 * Finds the objects of a list in a file, such as a STIX bundle, of an array, or a file that is one object, so that each
 * can be preserved unchanged. Yields regularly, so that other work can run.
 * @param bytes a JSON text in UTF-8, with or without a byte order mark
 * @param name of the list
 * @returns the objects in the file's order, unreadable entries, the span of the list, and the file's JSON with an empty
 *   list instead
 * @throws UnreadableFile for another structure, and beyond a limit
 */
export function* sliceObjects(
  bytes: Uint8Array,
  limits: SliceLimits,
  name = 'objects',
): Generator<void, { spans: Span[]; skipped: Skipped[]; list: Span; envelope: string }> {
  const { length } = bytes
  const spans: Span[] = []
  const skipped: Skipped[] = []
  const placeOf = () => `Object ${spans.length + skipped.length + 1}`
  const scanner = new JsonScanner(bytes, limits, placeOf)
  function* list(): Generator<void> {
    for (const _ of scanner.elements()) {
      if (scanner.at >= length || bytes[scanner.at] === CLOSE_LIST) scanner.broken()
      if (spans.length + skipped.length === limits.objects)
        scanner.refuse(`The file has more than ${limits.objects} objects.`)
      const start = scanner.at
      const reason = yield* scanner.attempt(() => {
        if (bytes[start] !== OPEN) scanner.refuse(`${placeOf()} of the file is not an object.`)
        scanner.value()
        scanner.json(start, scanner.at)
        return []
      })
      if (reason === undefined) spans.push([start, scanner.at])
      else skipped.push({ place: placeOf(), value: '', reason })
      if (scanner.isLong()) yield
    }
  }

  scanner.peek()
  const start = scanner.at
  let before = length
  let after = length
  if (bytes[start] === OPEN_LIST) {
    before = start
    yield* list()
    after = scanner.at
  } else if (bytes[start] === OPEN) {
    for (const member of scanner.members()) {
      if (member !== name || bytes[scanner.at] !== OPEN_LIST) {
        scanner.value()
        continue
      }
      if (before < length) scanner.refuse(`The file has “${name}” twice.`)
      before = scanner.at
      yield* list()
      after = scanner.at
    }
    // Without a list, the file is one object.
    if (before === length) {
      if (scanner.at - start > limits.objectBytes)
        scanner.refuse(`Object 1 of the file is larger than ${limits.objectBytes} bytes.`)
      scanner.json(start, scanner.at)
      spans.push([start, scanner.at])
      ;[before, after] = [start, scanner.at]
    }
  } else scanner.refuse('The file is not valid JSON.')
  scanner.peek()
  if (scanner.at < length) scanner.broken()
  const envelope = `${scanner.text(start, before)}[]${scanner.text(after, length)}`.trimEnd()
  try {
    JSON.parse(envelope)
  } catch {
    scanner.refuse('The file is not valid JSON.')
  }
  return { spans, skipped, list: [before, after], envelope }
}
