import type { Manifest } from '@iodine/contracts'
import { Failure, sentenceOf } from '../shared/failures'
import type { CaptureSummary, PageCapture } from '../shared/messages'
import type { CaptureState, Database, StoredCapture, StoredQuote } from './database'

/** Bytes of all captures that wait in this browser, of all accounts. */
export const KEPT_BYTES_MAX = 200 * 1024 ** 2
const SEALED_MAX = 500
/** A server without room for a capture is asked again after this time. */
const FULL_MS = 3_600_000

/** A capture to be kept: its manifest, and the bytes of its blobs by their SHA-256. */
export interface NewCapture {
  manifest: Manifest
  contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

type Kept = StoredCapture & { key: number }
/** A capture that can be handed over. */
export type WaitingCapture = Kept & { manifest: Manifest }
/** A quote whose capture is sealed. */
export type ReadyQuote = StoredQuote & { key: number; captureId: string }

/**
 * Captures and quotes until the server has them. They are durable before `add` resolves; a capture's blobs are
 * kept until it is sealed or refused.
 */
export interface Captures {
  /** Keeps a capture, and the words of it that are to become evidence. Throws a `Failure` where there is no room. */
  add(
    owner: string,
    capture: NewCapture,
    quote?: Pick<StoredQuote, 'iod' | 'place'>,
    max?: number,
  ): Promise<void>
  /** The same of several, all with the same quote, in one write. Resolves to the failure of each that is not kept. */
  addAll(
    owner: string,
    captures: readonly NewCapture[],
    quote?: Pick<StoredQuote, 'iod' | 'place'>,
    max?: number,
  ): Promise<(Failure | undefined)[]>
  /** The oldest capture to hand over. */
  next(owner: string): Promise<WaitingCapture | undefined>
  blob(capture: Kept, sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** The server has sealed it: nothing of it is kept but what it was. */
  seal(capture: Kept, sealed: { id: string; seq: number }): Promise<void>
  /** The server has no room for it now. */
  setFull(capture: Kept, reason: string): Promise<void>
  /** The server will never take it: its blobs and its quotes' hope go. */
  refuse(capture: Kept, reason: string): Promise<void>
  /** The oldest quote that can be added. */
  nextQuote(owner: string): Promise<ReadyQuote | undefined>
  /** The server has a quote, or refuses it with a reason. */
  settleQuote(quote: ReadyQuote, reason?: string): Promise<void>
  /** Hands over again what the server had no room for. */
  retryFull(owner: string): Promise<void>
  /** Forgets what the server refused or had no room for. */
  discardRefused(owner: string): Promise<void>
  discardOthers(owner: string): Promise<void>
  summary(owner: string): Promise<Omit<CaptureSummary, 'trouble' | 'leftOut'>>
  /** The newest capture of a page. */
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

  /** Ends a capture, unless it is gone: its blobs are dropped. */
  const end = async (
    { key }: Kept,
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

  /** One count of what is kept, and one write, for all of them. */
  const addAll: Captures['addAll'] = async (owner, added, quote, max = KEPT_BYTES_MAX) => {
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
      // Requests are made at once: a wait for each would take most of the time.
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

    async settleQuote(quote, reason) {
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
