/** Yields a file of events: one event by itself, several in the form of MISP's search response. */
export async function* mispFile(
  events: AsyncIterable<AsyncIterable<Uint8Array | string>>,
  isOne: boolean,
): AsyncGenerator<Uint8Array | string> {
  if (!isOne) yield '{"response":['
  let separator = ''
  for await (const event of events) {
    yield `${separator}{"Event":`
    yield* event
    yield '}'
    separator = ',\n'
  }
  yield isOne ? '\n' : ']}\n'
}
