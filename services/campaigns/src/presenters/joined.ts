/** Bytes that are sent at once. */
const PIECE = 65_536

/** Pieces of a file, joined to larger ones. */
export async function* joined(pieces: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    const some = typeof piece === 'string' ? Buffer.from(piece) : piece
    waiting.push(some)
    bytes += some.length
    if (bytes < PIECE) continue
    yield Buffer.concat(waiting)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting)
}
