/** A map with a maximum size: a new entry evicts the oldest. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number
  constructor(max: number) {
    super()
    this.#max = max
  }

  override set(key: K, value: V): this {
    this.delete(key)
    super.set(key, value)
    for (const oldest of this.keys()) {
      if (this.size <= this.#max) break
      this.delete(oldest)
    }
    return this
  }
}
