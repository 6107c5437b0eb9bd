import type { Sealed, VoteType } from '@iodine/contracts'
import type { AiTriplet, captureOf } from '@iodine/test-kit'
import type { Outcome } from './client.js'

/** A value that only its owner changes: the last acknowledged value, and attempts with an unknown outcome. */
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

  /** Records an attempt. Must be called before the request is sent. */
  attempt(value: T): void {
    this.#maybe.add(value)
  }

  /** @param tries number of attempts; after more than one, an earlier request may still arrive */
  acknowledge(value: T, tries = 1): void {
    this.#known = value
    if (tries === 1) this.#maybe.delete(value)
  }

  allows(value: T): boolean {
    return value === this.#known || this.#maybe.has(value)
  }
}

/** An entity that may exist or not. Its id is known from the first acknowledgement. */
export interface Entry {
  id?: string
  exists: Register<boolean>
}

export interface RecordEntry extends Entry {
  videoId: string
  /** Text of each sent version by fetch time; the newest version wins. */
  versions: Map<string, string>
  /** The newest acknowledged fetch time. */
  acknowledged?: string
}

export interface IodEntry extends Entry {
  value: string
  creator: string
  /** By user id. */
  votes: Map<string, Register<VoteType | null>>
}

export interface CampaignEntry extends Entry {
  name: Register<string>
  /** By the IOD's id. */
  members: Map<string, Register<boolean>>
}

export interface NarrativeEntry extends Entry {
  src: string
  triplets: AiTriplet[]
}

/** A captured page with an IOD's words. It exists once it is sealed. */
export interface CaptureEntry extends Entry {
  text: string
  captured: ReturnType<typeof captureOf>
  /** The quoted IOD. */
  iod: IodEntry & { id: string }
  quoted: Register<boolean>
  sealed?: Sealed
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
  captures: CaptureEntry[]
}

export interface MailsEntry {
  acknowledged: number
  unknown: number
}

/** Returns whether the id is known. */
export const hasId = <E extends Entry>(entry: E): entry is E & { id: string } => entry.id !== undefined
/** Returns whether the entry certainly exists: acknowledged, without a pending change. */
export const isThere = <E extends Entry>(entry: E): entry is E & { id: string } =>
  hasId(entry) && entry.exists.known && entry.exists.isCertain

/** All writes sent to the product, and its answers. */
export class Ledger {
  readonly users: UserEntry[] = []
  readonly iods: IodEntry[] = []
  /** Requested sign-in links, by e-mail address. */
  readonly mails = new Map<string, MailsEntry>()
  /** Refusals that the request does not explain. */
  readonly surprises: string[] = []
  /** Number of acknowledged requests. */
  acknowledged = 0

  /** Counts an acknowledgement, and records a refusal unless it is expected. */
  note(action: string, outcome: Outcome<unknown>, isExpected = false): void {
    if (outcome.kind === 'done') this.acknowledged++
    if (outcome.kind === 'refused' && !isExpected)
      this.surprises.push(`${action}: ${outcome.status} ${outcome.detail}`)
  }
}
