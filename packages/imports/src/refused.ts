/** A file is not read at all: its message states why, in a sentence. */
export class RefusedError extends Error {
  override name = 'RefusedError'
}
