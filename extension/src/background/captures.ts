import type { Manifest } from '@iodine/contracts'
import { Failure, sentenceOf } from '../shared/failures'
import type { CaptureSummary, PageCapture } from '../shared/messages'
import type { CaptureState, Database, StoredCapture, StoredQuote } from './database'

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

type KeyedCapture = StoredCapture & { key: number }
/** A capture that can be sent. */
export type WaitingCapture = KeyedCapture & { manifest: Manifest }
/** A quote whose capture is sealed. */
export type ReadyQuote = StoredQuote & { key: number; captureId: string }

/**
 * The store of captures and quotes that the server has not acknowledged. They are durable before `add` resolves; a
 * capture's blobs are kept until it is sealed or refused.
 */
export interface Captures {
  /** Stores a capture and its quote. @throws Failure if the space is used up */
  add(
    owner: string,
    capture: NewCapture,
    quote?: Pick<StoredQuote, 'iod' | 'place'>,
    max?: number,
  ): Promise<void>
  /** Stores several captures with the same quote in one transaction. Resolves to the failure of each, by position. */
  addAll(
    owner: string,
    captures: readonly NewCapture[],
    quote?: Pick<StoredQuote, 'iod' | 'place'>,
    max?: number,
  ): Promise<(Failure | undefined)[]>
  /** Returns the oldest capture to send. */
  next(owner: string): Promise<WaitingCapture | undefined>
  blob(capture: KeyedCapture, sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Marks a capture as sealed and deletes its manifest and blobs. */
  seal(capture: KeyedCapture, sealed: { id: string; seq: number }): Promise<void>
  /** Marks a capture as rejected for lack of space on the server. */
  setFull(capture: KeyedCapture, reason: string): Promise<void>
  /** Marks a capture and its quotes as permanently refused, and deletes its blobs. */
  refuse(capture: KeyedCapture, reason: string): Promise<void>
  /** Returns the oldest quote whose capture is sealed. */
  nextQuote(owner: string): Promise<ReadyQuote | undefined>
  /** Deletes an accepted quote; with a reason, marks it as refused. */
  completeQuote(quote: ReadyQuote, reason?: string): Promise<void>
  /** Queues the captures again that the server had no space for. */
  retryFull(owner: string): Promise<void>
  /** Deletes the captures and quotes that the server refused or had no space for. */
  discardRefused(owner: string): Promise<void>
  discardOthers(owner: string): Promise<void>
  summary(owner: string): Promise<Omit<CaptureSummary, 'trouble' | 'leftOut'>>
  /** Returns the newest capture of a page. */
  ofPage(owner: string, url: string): Promise<PageCapture | null>
}

export const createCaptures = (database: Database): Captures => {
  const begin = () =>
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
    { key }: KeyedCapture,
    change: Partial<StoredCapture>,
    ofQuote: (quote: StoredQuote) => StoredQuote,
  ) => {
    const writing = begin()
    const captures = writing.objectStore('captures')
    const now = await captures.get(key)
    if (now) {
      const { manifest: _, reason: __, ...rest } = now
      await dropBlobs(writing, key)
      await captures.put({ ...rest, bytes: 0, at: Date.now(), ...change })
      const quotes = writing.objectStore('quotes')
      for (const quote of await quotes.index('by-capture').getAll(key)) await quotes.put(ofQuote(quote))
      const sealed = captures.index('state')
      let excess = (await sealed.count('sealed')) - SEALED_MAX
      for (
        let cursor = excess > 0 ? await sealed.openCursor('sealed') : null;
        cursor && excess > 0;
        excess -= 1
      ) {
        await cursor.delete()
        cursor = await cursor.continue()
      }
    }
    await writing.done
  }

  const inState = (owner: string, state: CaptureState) =>
    database.getAllFromIndex('captures', 'by-state', [owner, state])

  /** Measures the used space once and writes all captures in one transaction. */
  const addAll: Captures['addAll'] = async (owner, added, quote, max = STORED_BYTES_MAX) => {
    const writing = begin()
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

  return {
    async add(owner, capture, quote, max) {
      const [failure] = await addAll(owner, [capture], quote, max)
      if (failure) throw failure
    },

    addAll,

    async next(owner) {
      const isDue = (capture: StoredCapture): capture is WaitingCapture => capture.manifest !== undefined
      const [waiting] = await database.getAllFromIndex('captures', 'by-state', [owner, 'waiting'], 1)
      if (waiting && isDue(waiting)) return waiting
      const full = (await inState(owner, 'full')).find(({ at }) => at + FULL_MS <= Date.now())
      return full && isDue(full) ? full : undefined
    },

    async blob({ key }, sha256) {
      return (await database.get('blobs', [key, sha256]))?.bytes
    },

    seal: (capture, { id, seq }) =>
      end(capture, { state: 'sealed', id, seq }, quote => ({ ...quote, captureId: id })),

    refuse: (capture, reason) =>
      end(capture, { state: 'refused', reason }, quote => ({
        ...quote,
        state: 'refused',
        reason: sentenceOf('notSealed'),
      })),

    async setFull({ key }, reason) {
      const writing = begin()
      const captures = writing.objectStore('captures')
      const now = await captures.get(key)
      if (now) await captures.put({ ...now, state: 'full', reason, at: Date.now() })
      await writing.done
    },

    async nextQuote(owner) {
      const waiting = await database.getAllFromIndex('quotes', 'by-state', [owner, 'waiting'])
      return waiting.find((quote): quote is ReadyQuote => quote.captureId !== undefined)
    },

    async completeQuote(quote, reason) {
      if (reason === undefined) await database.delete('quotes', quote.key)
      else await database.put('quotes', { ...quote, state: 'refused', reason })
    },

    async retryFull(owner) {
      const writing = begin()
      const captures = writing.objectStore('captures')
      for (const { reason: _, ...capture } of await captures.index('by-state').getAll([owner, 'full']))
        await captures.put({ ...capture, state: 'waiting' })
      await writing.done
    },

    async discardRefused(owner) {
      const writing = begin()
      for (const state of ['full', 'refused'])
        for (const key of await writing.objectStore('captures').index('by-state').getAllKeys([owner, state]))
          await remove(writing, key)
      const quotes = writing.objectStore('quotes')
      for (const key of await quotes.index('by-state').getAllKeys([owner, 'refused']))
        await quotes.delete(key)
      await writing.done
    },

    async discardOthers(owner) {
      const writing = begin()
      const captures = writing.objectStore('captures')
      for (const key of await captures.getAllKeys())
        if ((await captures.get(key))?.owner !== owner) await remove(writing, key)
      const quotes = writing.objectStore('quotes')
      for (let cursor = await quotes.openCursor(); cursor; cursor = await cursor.continue())
        if (cursor.value.owner !== owner) await cursor.delete()
      await writing.done
    },

    async summary(owner) {
      const reading = database.transaction(['captures', 'quotes'])
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
    },

    async ofPage(owner, url) {
      const reading = database.transaction('captures').store.index('by-url')
      const newest = await reading.openCursor([owner, url], 'prev')
      if (!newest) return null
      const { state, seq, reason } = newest.value
      return { state, seq: seq ?? null, reason: reason ?? '' }
    },
  }
}
