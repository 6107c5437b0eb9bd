import type { AiTriplet } from '@iodine/test-kit'

/** A value that only its owner changes: what was acknowledged last, or an attempt of which nobody knows the outcome. */
export class Register<T> {
  #known: T
  readonly #maybe = new Set<T>()

  constructor(known: T) {
    this.#known = known
  }

  get known(): T {
    return this.#known
  }

  get isCertain(): boolean {
    return this.#maybe.size === 0
  }

  /** To be called before the request is sent. */
  attempt(value: T): void {
    this.#maybe.add(value)
  }

  /** @param tries after more than one, an earlier request may still be on its way and arrive later than others. */
  acknowledge(value: T, tries = 1): void {
    this.#known = value
    if (tries === 1) this.#maybe.delete(value)
  }

  /** The attempt had no effect. */
  refuse(value: T): void {
    this.#maybe.delete(value)
  }

  allows(value: T): boolean {
    return value === this.#known || this.#maybe.has(value)
  }
}

export interface UserEntry {
  id: string
  email: string
  token: string
  username: Register<string>
  /** By natural key. */
  records: Map<string, RecordEntry>
  campaigns: CampaignEntry[]
  narratives: NarrativeEntry[]
}

export interface RecordEntry {
  videoId: string
  /** Text of each version sent, by its fetch time: the newest one wins. */
  versions: Map<string, string>
  /** The newest fetch time that was acknowledged. */
  acknowledged: string | undefined
  id: string | undefined
  exists: Register<boolean>
}

export interface IodEntry {
  value: string
  creator: string
  id: string | undefined
  exists: Register<boolean>
  /** By user id. */
  votes: Map<string, Register<'POSITIVE' | 'NEGATIVE' | null>>
}

export interface CampaignEntry {
  name: Register<string>
  id: string | undefined
  exists: Register<boolean>
  /** By the IOD's id. */
  members: Map<string, Register<boolean>>
}

export interface NarrativeEntry {
  src: string
  id: string | undefined
  triplets: AiTriplet[]
  exists: Register<boolean>
}

export interface MailsEntry {
  acknowledged: number
  unknown: number
}

/** Everything that was asked of the product, and what it said to it. */
export class Ledger {
  readonly users: UserEntry[] = []
  readonly iods: IodEntry[] = []
  /** Sign-in links asked for, by address. */
  readonly mails = new Map<string, MailsEntry>()
  /** Refusals that nothing in the request deserved. */
  readonly surprises: string[] = []
  /** Requests by action and outcome. */
  readonly counts = new Map<string, { done: number; refused: number; unknown: number }>()

  count(action: string, kind: 'done' | 'refused' | 'unknown'): void {
    const counts = this.counts.get(action) ?? { done: 0, refused: 0, unknown: 0 }
    counts[kind]++
    this.counts.set(action, counts)
  }
}
