/** Returns binary data of a lean document as a Buffer: the driver returns its own type. */
export const bytesOf = (raw: Buffer | { buffer: Uint8Array }): Buffer =>
  Buffer.isBuffer(raw) ? raw : Buffer.from(raw.buffer)
