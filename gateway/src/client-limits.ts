import { addressKey, type Caller } from '@iodine/service-kit'

/** A client: a user with a session, else an address. */
export interface Client {
  /** A user's id, or the address. */
  id: string
  address: string
  isUser: boolean
}

export const clientOf = (ip: string, caller?: Pick<Caller, 'id'>): Client => {
  const address = addressKey(ip)
  return { id: caller?.id ?? address, address, isUser: caller !== undefined }
}

/** Total amount of a resource, and the maximum per address, per user, and per address without a session. */
export interface ClientLimits {
  all: number
  address: number
  user: number
  stranger: number
}

/** A resource that clients share. Counts the amount that each holds. */
export class LimitedResource {
  readonly #limits: ClientLimits
  readonly #clients = new Map<string, number>()
  readonly #addresses = new Map<string, number>()
  #held = 0

  constructor(limits: ClientLimits) {
    this.#limits = limits
  }

  get held(): number {
    return this.#held
  }

  heldBy({ id }: Client): number {
    return this.#clients.get(id) ?? 0
  }

  /** Returns whether an amount exceeds neither the client's limit nor the total. */
  fits(client: Client, amount = 1): boolean {
    const { all, address, user, stranger } = this.#limits
    return (
      this.#held + amount <= all &&
      this.#atAddress(client) + amount <= address &&
      this.heldBy(client) + amount <= (client.isUser ? user : stranger)
    )
  }

  /** Takes an amount. Returns false if it does not fit. */
  take(client: Client, amount = 1): boolean {
    if (!this.fits(client, amount)) return false
    this.#held += amount
    this.#clients.set(client.id, this.heldBy(client) + amount)
    this.#addresses.set(client.address, this.#atAddress(client) + amount)
    return true
  }

  #atAddress({ address }: Client): number {
    return this.#addresses.get(address) ?? 0
  }

  release(client: Client, amount = 1): void {
    this.#held -= amount
    subtract(this.#clients, client.id, amount)
    subtract(this.#addresses, client.address, amount)
  }
}

const subtract = (counts: Map<string, number>, key: string, amount: number): void => {
  const left = (counts.get(key) ?? 0) - amount
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}
