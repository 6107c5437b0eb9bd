import { addressKey, type Caller } from '@iodine/service-kit'

/** The holder of a share: a user with a session, else an address. */
export interface Holder {
  /** A user's id, or the address. */
  caller: string
  address: string
  isUser: boolean
}

export const holderOf = (ip: string, caller?: Pick<Caller, 'id'>): Holder => {
  const address = addressKey(ip)
  return { caller: caller?.id ?? address, address, isUser: caller !== undefined }
}

/** The total amount, and the maximum that an address, a user, and an address without a session may hold. */
export interface SharesOf {
  all: number
  address: number
  user: number
  stranger: number
}

/** Counts how much of a shared resource each holder has taken. */
export class Shares {
  readonly #of: SharesOf
  readonly #callers = new Map<string, number>()
  readonly #addresses = new Map<string, number>()
  #held = 0

  constructor(of: SharesOf) {
    this.#of = of
  }

  get held(): number {
    return this.#held
  }

  heldBy({ caller }: Holder): number {
    return this.#callers.get(caller) ?? 0
  }

  /** Takes an amount; returns false when the holder's share or the total is used up. */
  take(holder: Holder, amount = 1): boolean {
    const byCaller = this.heldBy(holder) + amount
    const byAddress = (this.#addresses.get(holder.address) ?? 0) + amount
    const { all, address, user, stranger } = this.#of
    if (this.#held + amount > all || byAddress > address || byCaller > (holder.isUser ? user : stranger))
      return false
    this.#held += amount
    this.#callers.set(holder.caller, byCaller)
    this.#addresses.set(holder.address, byAddress)
    return true
  }

  give(holder: Holder, amount = 1): void {
    this.#held -= amount
    subtract(this.#callers, holder.caller, amount)
    subtract(this.#addresses, holder.address, amount)
  }
}

const subtract = (counts: Map<string, number>, key: string, amount: number): void => {
  const left = (counts.get(key) ?? 0) - amount
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}

interface Waiter {
  holder: Holder
  admit(): void
}

/** A service's connections. A caller without a free one waits in a queue of its own. */
export class Pool {
  readonly #shares: Shares
  readonly #waiting = new Map<string, Waiter[]>()
  #length = 0

  constructor(of: SharesOf) {
    this.#shares = new Shares(of)
  }

  get active(): number {
    return this.#shares.held
  }

  get waiting(): number {
    return this.#length
  }

  /** Takes a connection; returns false when the caller has to wait. */
  take(holder: Holder): boolean {
    return !this.#waiting.has(holder.caller) && this.#shares.take(holder)
  }

  /** Queues the holder and calls `admitted` once it has a connection. Can be cancelled until then. */
  wait(holder: Holder, admitted: () => void): { cancel(): void } {
    const waiter: Waiter = { holder, admit: admitted }
    const queue = this.#waiting.get(holder.caller)
    if (queue) queue.push(waiter)
    else this.#waiting.set(holder.caller, [waiter])
    this.#length++
    return { cancel: () => this.#remove(waiter) }
  }

  /** Returns a connection and admits the waiting caller that holds the fewest. */
  give(holder: Holder): void {
    this.#shares.give(holder)
    if (this.#length === 0) return
    const first = [...this.#waiting.values()]
      .flatMap(([waiter]) => (waiter ? [waiter] : []))
      .sort((a, b) => this.#shares.heldBy(a.holder) - this.#shares.heldBy(b.holder))
    for (const waiter of first) {
      if (!this.#shares.take(waiter.holder)) continue
      this.#remove(waiter)
      waiter.admit()
      return
    }
  }

  #remove(waiter: Waiter): void {
    const { caller } = waiter.holder
    const queue = this.#waiting.get(caller)
    const at = queue?.indexOf(waiter) ?? -1
    if (!queue || at < 0) return
    queue.splice(at, 1)
    this.#length--
    if (queue.length === 0) this.#waiting.delete(caller)
  }
}
