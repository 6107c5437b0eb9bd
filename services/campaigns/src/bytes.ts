/** Bytes of a document that was read without a model: the driver gives its own type. */
export const bytesOf = (raw: Buffer | { buffer: Uint8Array }): Buffer =>
  Buffer.isBuffer(raw) ? raw : Buffer.from(raw.buffer)
