/** Events as a file: one by itself, several as MISP answers a search. */
export async function* mispFile(
  events: readonly AsyncIterable<Uint8Array | string>[],
): AsyncGenerator<Uint8Array | string> {
  const [first, ...others] = events
  if (first && others.length === 0) {
    yield '{"Event":'
    yield* first
    yield '}\n'
    return
  }
  yield '{"response":['
  for (const [n, event] of events.entries()) {
    yield n === 0 ? '{"Event":' : ',\n{"Event":'
    yield* event
    yield '}'
  }
  yield ']}\n'
}
