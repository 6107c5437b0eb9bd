import type { Manifest } from '@iodine/contracts'
import { Failure, sentenceOf } from '../shared/failures'
import type { CaptureSummary, PageCapture } from '../shared/messages'
import { type Database, type StoredCapture, type StoredQuote, trim } from './database'

/** Limit for the bytes of the waiting captures of all accounts in this browser. */
export const STORED_BYTES_MAX = 200 * 1024 ** 2
const SEALED_MAX = 500
/** Delay before a capture is retried that the server had no space for. */
const FULL_MS = 3_600_000

/** A capture to store: its manifest, and the bytes of its blobs by SHA-256. */
export interface NewCapture {
  manifest: Manifest
  contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

export type NewQuote = Pick<StoredQuote, 'iod' | 'place'>

type KeyedCapture = StoredCapture & { key: number }
/** A capture that can be sent. */
export type WaitingCapture = KeyedCapture & { manifest: Manifest }
/** A quote whose capture is sealed. */
export type ReadyQuote = StoredQuote & { key: number; captureId: string }

const begin = (database: Database) =>
  database.transaction(['captures', 'blobs', 'quotes'], 'readwrite', { durability: 'strict' })
type Writing = ReturnType<typeof begin>

const dropBlobs = (writing: Writing, key: number) =>
  writing.objectStore('blobs').delete(IDBKeyRange.bound([key], [key, []]))

const remove = async (writing: Writing, key: number) => {
  await dropBlobs(writing, key)
  await writing.objectStore('captures').delete(key)
  const quotes = writing.objectStore('quotes')
  for (const quote of await quotes.index('by-capture').getAllKeys(key)) await quotes.delete(quote)
}

/** Puts a capture into its final state and deletes its blobs. Does nothing if the capture was deleted. */
const end = async (
  database: Database,
  { key }: KeyedCapture,
  change: Partial<StoredCapture>,
  ofQuote: (quote: StoredQuote) => StoredQuote,
) => {
  const writing = begin(database)
  const captures = writing.objectStore('captures')
  const now = await captures.get(key)
  if (now) {
    const { manifest: _, reason: __, ...rest } = now
    await dropBlobs(writing, key)
    await captures.put({ ...rest, bytes: 0, at: Date.now(), ...change })
    const quotes = writing.objectStore('quotes')
    for (const quote of await quotes.index('by-capture').getAll(key)) await quotes.put(ofQuote(quote))
    const sealed = captures.index('state')
    await trim(
      { count: () => sealed.count('sealed'), openCursor: () => sealed.openCursor('sealed') },
      SEALED_MAX,
    )
  }
  await writing.done
}

/**
 * The store of captures and quotes that the server has not acknowledged. They are durable before `addAll` resolves; a
 * capture's blobs are kept until it is sealed or refused.
 */
export class Captures {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Stores several captures with the same quote in one transaction, and measures the used space once. Resolves to the
   * failure of each, by position.
   */
  async addAll(
    owner: string,
    added: readonly NewCapture[],
    quote?: NewQuote,
    max = STORED_BYTES_MAX,
  ): Promise<(Failure | undefined)[]> {
    const writing = begin(this.#database)
    try {
      const captures = writing.objectStore('captures')
      let kept = 0
      for (let cursor = await captures.openCursor(); cursor; cursor = await cursor.continue())
        kept += cursor.value.bytes
      const fits = added.map(({ contents }) => {
        const bytes = [...contents.values()].reduce((sum, { length }) => sum + length, 0)
        if (kept + bytes > max) return undefined
        kept += bytes
        return bytes
      })
      // Requests are issued together: awaiting each would take most of the time.
      const put = async ({ manifest, contents }: NewCapture, bytes: number) => {
        const { url } = manifest
        const capture = await captures.add({ owner, state: 'waiting', url, at: Date.now(), manifest, bytes })
        const blobs = [...contents].map(([sha256, content]) => ({ capture, sha256, bytes: content }))
        await Promise.all([
          ...blobs.map(blob => writing.objectStore('blobs').put(blob)),
          ...(quote
            ? [writing.objectStore('quotes').add({ owner, capture, state: 'waiting', ...quote })]
            : []),
        ])
      }
      await Promise.all(added.flatMap((capture, n) => (fits[n] === undefined ? [] : [put(capture, fits[n])])))
      await writing.done
      return fits.map(bytes => (bytes === undefined ? new Failure('capturesFull') : undefined))
    } catch (cause) {
      writing.done.catch(() => {})
      try {
        writing.abort()
      } catch {}
      return added.map(() => new Failure('noRoom', {}, { cause }))
    }
  }

  /** Returns the oldest capture to send. */
  async next(owner: string): Promise<WaitingCapture | undefined> {
    const isDue = (capture: StoredCapture): capture is WaitingCapture => capture.manifest !== undefined
    const [waiting] = await this.#database.getAllFromIndex('captures', 'by-state', [owner, 'waiting'], 1)
    if (waiting && isDue(waiting)) return waiting
    const full = (await this.#database.getAllFromIndex('captures', 'by-state', [owner, 'full'])).find(
      ({ at }) => at + FULL_MS <= Date.now(),
    )
    return full && isDue(full) ? full : undefined
  }

  async blob({ key }: KeyedCapture, sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return (await this.#database.get('blobs', [key, sha256]))?.bytes
  }

  /** Marks a capture as sealed and deletes its manifest and blobs. */
  seal(capture: KeyedCapture, { id, seq }: { id: string; seq: number }): Promise<void> {
    return end(this.#database, capture, { state: 'sealed', id, seq }, quote => ({ ...quote, captureId: id }))
  }

  /** Marks a capture and its quotes as permanently refused, and deletes its blobs. */
  refuse(capture: KeyedCapture, reason: string): Promise<void> {
    return end(this.#database, capture, { state: 'refused', reason }, quote => ({
      ...quote,
      state: 'refused',
      reason: sentenceOf('notSealed'),
    }))
  }

  /** Marks a capture as rejected for lack of space on the server. */
  async setFull({ key }: KeyedCapture, reason: string): Promise<void> {
    const writing = begin(this.#database)
    const captures = writing.objectStore('captures')
    const now = await captures.get(key)
    if (now) await captures.put({ ...now, state: 'full', reason, at: Date.now() })
    await writing.done
  }

  /** Returns the oldest quote whose capture is sealed. */
  async nextQuote(owner: string): Promise<ReadyQuote | undefined> {
    const waiting = await this.#database.getAllFromIndex('quotes', 'by-state', [owner, 'waiting'])
    return waiting.find((quote): quote is ReadyQuote => quote.captureId !== undefined)
  }

  /** Deletes an accepted quote; with a reason, marks it as refused. */
  async completeQuote(quote: ReadyQuote, reason?: string): Promise<void> {
    if (reason === undefined) await this.#database.delete('quotes', quote.key)
    else await this.#database.put('quotes', { ...quote, state: 'refused', reason })
  }

  /** Queues the captures again that the server had no space for. */
  async retryFull(owner: string): Promise<void> {
    const writing = begin(this.#database)
    const captures = writing.objectStore('captures')
    for (const { reason: _, ...capture } of await captures.index('by-state').getAll([owner, 'full']))
      await captures.put({ ...capture, state: 'waiting' })
    await writing.done
  }

  /** Deletes the captures and quotes that the server refused or had no space for. */
  async discardRefused(owner: string): Promise<void> {
    const writing = begin(this.#database)
    for (const state of ['full', 'refused'])
      for (const key of await writing.objectStore('captures').index('by-state').getAllKeys([owner, state]))
        await remove(writing, key)
    const quotes = writing.objectStore('quotes')
    for (const key of await quotes.index('by-state').getAllKeys([owner, 'refused'])) await quotes.delete(key)
    await writing.done
  }

  async discardOthers(owner: string): Promise<void> {
    const writing = begin(this.#database)
    const captures = writing.objectStore('captures')
    for (const key of await captures.getAllKeys())
      if ((await captures.get(key))?.owner !== owner) await remove(writing, key)
    const quotes = writing.objectStore('quotes')
    for (let cursor = await quotes.openCursor(); cursor; cursor = await cursor.continue())
      if (cursor.value.owner !== owner) await cursor.delete()
    await writing.done
  }

  async summary(owner: string): Promise<Omit<CaptureSummary, 'trouble' | 'leftOut'>> {
    const reading = this.#database.transaction(['captures', 'quotes'])
    const captures = reading.objectStore('captures')
    const byState = captures.index('by-state')
    const quotes = reading.objectStore('quotes').index('by-state')
    const [all, sealed, own, ownSealed, waiting, full, refused, waitingQuotes, refusedQuotes] =
      await Promise.all([
        captures.count(),
        captures.index('state').count('sealed'),
        byState.count(IDBKeyRange.bound([owner], [owner, []])),
        byState.count([owner, 'sealed']),
        byState.count([owner, 'waiting']),
        byState.getAll([owner, 'full']),
        byState.getAll([owner, 'refused']),
        quotes.count([owner, 'waiting']),
        quotes.getAll([owner, 'refused']),
      ])
    return {
      waiting,
      waitingForOthers: all - sealed - (own - ownSealed),
      full: { count: full.length, reason: full.at(-1)?.reason ?? '' },
      quotes: waitingQuotes,
      refused: [
        ...refused.map(({ key = 0, url, reason = '' }) => ({ key: `capture ${key}`, of: url, reason })),
        ...refusedQuotes.map(({ key = 0, iod, reason = '' }) => ({
          key: `quote ${key}`,
          of: iod.value,
          reason,
        })),
      ],
    }
  }

  /** Returns the newest capture of a page. */
  async ofPage(owner: string, url: string): Promise<PageCapture | null> {
    const reading = this.#database.transaction('captures').store.index('by-url')
    const newest = await reading.openCursor([owner, url], 'prev')
    if (!newest) return null
    const { state, seq, reason } = newest.value
    return { state, seq: seq ?? null, reason: reason ?? '' }
  }
}
