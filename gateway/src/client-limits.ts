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

  /** Takes an amount. Returns false if the client's limit or the total would be exceeded. */
  take(client: Client, amount = 1): boolean {
    const byClient = this.heldBy(client) + amount
    const byAddress = (this.#addresses.get(client.address) ?? 0) + amount
    const { all, address, user, stranger } = this.#limits
    if (this.#held + amount > all || byAddress > address || byClient > (client.isUser ? user : stranger))
      return false
    this.#held += amount
    this.#clients.set(client.id, byClient)
    this.#addresses.set(client.address, byAddress)
    return true
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
