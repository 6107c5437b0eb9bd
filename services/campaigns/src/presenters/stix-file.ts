import type { StixBundle } from '@iodine/exchange'

/** Bytes that are sent at once. */
const PIECE = 65_536
const END = '\n  ]\n}\n'

/** A bundle as a file, with further objects as they stand in other files. */
export async function* stixFile(
  bundle: StixBundle,
  objects: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  const text = `${JSON.stringify(bundle, null, 2)}\n`
  let pieces = [Buffer.from(text.slice(0, -END.length))]
  let bytes = 0
  for await (const object of objects) {
    pieces.push(Buffer.from(',\n    '), Buffer.from(object))
    bytes += object.length
    if (bytes < PIECE) continue
    yield Buffer.concat(pieces)
    pieces = []
    bytes = 0
  }
  yield Buffer.concat([...pieces, Buffer.from(END)])
}

/** A bundle without the objects that are written as another tool wrote them: same id, same version. */
export const withoutKept = (bundle: StixBundle, kept: ReadonlySet<string>): StixBundle => ({
  ...bundle,
  objects: bundle.objects.filter(
    ({ id, modified, created }) => !kept.has(`${id} ${modified ?? created ?? ''}`),
  ),
})
