/** Store of bytes by key. A key joins a capture's id and the SHA-256 of the bytes, so captures share no blobs. */
export interface Blobs {
  /** Stores bytes durably. Idempotent. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Resolves to null for an unknown key. */
  get(key: string): Promise<Uint8Array | null>
  /** Deletes the blobs of these keys; ignores unknown keys. */
  delete(keys: readonly string[]): Promise<void>
}
