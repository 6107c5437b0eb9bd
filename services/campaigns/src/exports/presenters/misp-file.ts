/** Events as a file: one by itself, several as MISP answers a search. */
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
