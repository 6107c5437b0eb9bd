import { id } from '@iodine/contracts'
import type { ClientSession } from 'mongoose'
import { z } from 'zod'

export interface KindSpec<P> {
  payload: z.ZodType<P>
  /**
   * Returns the key of an entry; none by default. One call handles all entries of a key as soon as one is due, with the
   * newest payload. A handler that is early resolves to the milliseconds that are left.
   */
  keyOf?: (payload: P) => string
  /**
   * Handles one entry, or up to `batch`. Idempotent: it may run again for the same entries, also in another process.
   * If it resolves to a number, the entries run again after so many milliseconds, unless they are completed before.
   * An HttpError with a final status or an UnrecoverableError is permanent; any other error is retried.
   */
  handle(payloads: readonly P[], run: { signal: AbortSignal }): Promise<number | unknown>
  /** Maximum of entries without a key per call; 1 by default. If the call fails permanently, each entry runs alone. */
  batch?: number
  /** Concurrent calls in this process; 1 by default. */
  concurrency?: number
  /** Milliseconds after which another process takes over; extended while the handler runs. */
  leaseMs?: number
  /** Maximum delay between two attempts; 5 minutes by default. */
  backoffMaxMs?: number
  /** Takes seconds of CPU or more: a process that only serves requests (`ROLE=api`) leaves it to others. */
  isHeavy?: boolean
}

export interface AddOptions {
  /** Milliseconds until the entry is due. */
  dueIn?: number
  /** Transaction that changes the data which the entry is about; the entry is stored with it. */
  session?: ClientSession | undefined
}

/** Part of a kind's spec: its entries name a document, whose id is their key. */
export const byId = {
  payload: z.strictObject({ id }),
  keyOf: ({ id }: { id: string }): string => id,
}

/** Entries of one kind. */
export interface Kind<P> {
  /** Stores an entry. Its handler starts after the commit. */
  add(payload: P, options?: AddOptions): Promise<void>
  /** Stores several entries. */
  addAll(payloads: readonly P[], options?: AddOptions): Promise<void>
  /** Returns payloads of at most `limit` entries, in no order. */
  pending(limit: number): Promise<P[]>
  /** Returns whether there is an entry of the key, also one that is handled. */
  has(key: string): Promise<boolean>
  /** Removes the entries of a key. */
  complete(key: string): Promise<void>
}
