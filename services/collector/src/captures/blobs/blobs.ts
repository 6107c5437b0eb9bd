/** Bytes by key. A key is a capture's id and the SHA-256 of the bytes: no capture shares its blobs. */
export interface Blobs {
  /** Stores bytes durably before it resolves; repeating it changes nothing. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Null where there are none. */
  get(key: string): Promise<Uint8Array | null>
  /** Deletes what is there of these. */
  delete(keys: readonly string[]): Promise<void>
}
