import { type Client, type ClientLimits, LimitedResource } from '../client-limits.js'

interface Waiter {
  client: Client
  admit(): void
}

/** Connections to a service. Each client has a separate queue for a free one. */
export class Pool {
  readonly #connections: LimitedResource
  readonly #waiting = new Map<string, Waiter[]>()
  #length = 0

  constructor(limits: ClientLimits) {
    this.#connections = new LimitedResource(limits)
  }

  get active(): number {
    return this.#connections.held
  }

  get waiting(): number {
    return this.#length
  }

  /** Takes a connection. Returns false if the client must wait. */
  take(client: Client): boolean {
    return !this.#waiting.has(client.id) && this.#connections.take(client)
  }

  /** Queues the client and calls `admitted` when it has a connection. Can be cancelled until then. */
  wait(client: Client, admitted: () => void): { cancel(): void } {
    const waiter: Waiter = { client, admit: admitted }
    const queue = this.#waiting.get(client.id)
    if (queue) queue.push(waiter)
    else this.#waiting.set(client.id, [waiter])
    this.#length++
    return { cancel: () => this.#remove(waiter) }
  }

  /** Releases a connection and admits the waiting client that holds the fewest. */
  release(client: Client): void {
    this.#connections.release(client)
    let next: Waiter | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [waiter] of this.#waiting.values()) {
      const held = waiter ? this.#connections.heldBy(waiter.client) : fewest
      if (!waiter || held >= fewest || !this.#connections.fits(waiter.client)) continue
      next = waiter
      fewest = held
    }
    if (!next) return
    this.#connections.take(next.client)
    this.#remove(next)
    next.admit()
  }

  #remove(waiter: Waiter): void {
    const { id } = waiter.client
    const queue = this.#waiting.get(id)
    const at = queue?.indexOf(waiter) ?? -1
    if (!queue || at < 0) return
    queue.splice(at, 1)
    this.#length--
    if (queue.length === 0) this.#waiting.delete(id)
  }
}
