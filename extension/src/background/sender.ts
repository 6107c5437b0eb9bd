import { ApiError, type IngestResult } from '@iodine/contracts'
import { endSession } from './accounts'
import { callApi, endpoints, invalidResponse, isPermanentError } from './api'
import type { Captures } from './captures'
import {
  type Account,
  type Database,
  ownerOf,
  type QueuedRecord,
  readSetting,
  writeSetting,
} from './database'
import { addQuote, deliverCapture } from './deliver-capture'
import type { Queue } from './queue'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 5 * 60_000

export interface SenderOptions {
  database: Database
  queue: Queue
  captures: Captures
  /** Schedules a call of `flush` (milliseconds of `Date.now()`). */
  wakeAt: (time: number) => void
  /** Random numbers from 0 to 1 for the jitter of the back-off. */
  random?: () => number
}

/** The back-off state: of records, or of captures and quotes. */
type Track = 'trouble' | 'captureTrouble'

/** Sends with exponential back-off: records batch by batch, then captures. */
export class Sender {
  readonly #options: SenderOptions
  #running: Promise<void> | undefined
  #needsRun = false
  #forced = false

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /**
   * Repeats `step` for the signed-in account until it resolves to true: the queue is empty. Stops if it resolves to
   * undefined: records take precedence. Resolves to whether the queue is empty.
   */
  async #repeat(
    track: Track,
    force: boolean,
    step: (account: Account) => Promise<boolean | undefined>,
  ): Promise<boolean> {
    const { database, wakeAt } = this.#options
    const trouble = await readSetting(database, track)
    if (!force && trouble && trouble.until > Date.now()) {
      wakeAt(trouble.until)
      return false
    }
    for (;;) {
      const account = await readSetting(database, 'account')
      if (!account?.token) return false
      try {
        const isDone = await step(account)
        if (isDone === undefined) return false
        await writeSetting(database, track, undefined)
        if (isDone) return true
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (error.status === 401) await endSession(database, account.token)
        else await this.#postpone(track, error)
        return false
      }
    }
  }

  #sendRecords() {
    const { queue } = this.#options
    let max: number | undefined
    return async (account: Account): Promise<boolean> => {
      const batch = await queue.next(ownerOf(account), max)
      const [first] = batch
      if (!first) return true
      try {
        await queue.complete(batch, await ingest(account, batch))
        max = undefined
      } catch (error) {
        if (!(error instanceof ApiError) || !isPermanentError(error)) throw error
        // The server refuses a record of the batch. Halving the batch isolates it.
        if (batch.length === 1) await queue.complete([first], [{ error: error.message }])
        max = batch.length === 1 ? undefined : Math.ceil(batch.length / 2)
      }
      return false
    }
  }

  async #sendCapture(account: Account): Promise<boolean | undefined> {
    const { captures } = this.#options
    // Newly added records take precedence.
    if (this.#needsRun) return undefined
    const owner = ownerOf(account)
    const quote = await captures.nextQuote(owner)
    if (quote) await addQuote(account, captures, quote)
    else {
      const capture = await captures.next(owner)
      if (!capture) return true
      await deliverCapture(account, captures, capture)
    }
    return false
  }

  /** Sends records first: the server looks up the record of a capture when sealing it. */
  async #run(force: boolean): Promise<void> {
    if (await this.#repeat('trouble', force, this.#sendRecords()))
      await this.#repeat('captureTrouble', force, account => this.#sendCapture(account))
  }

  async #postpone(track: Track, error: ApiError) {
    const { database, wakeAt, random = Math.random } = this.#options
    const attempts = ((await readSetting(database, track))?.attempts ?? 0) + 1
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20))
    const until = Date.now() + Math.max(error.retryAfterMs, wait * (0.5 + random() / 2))
    await writeSetting(database, track, { reason: error.message, until, attempts })
    wakeAt(until)
  }

  /**
   * Sends the queued records of the signed-in account, then its quotes and captures. Each waits for the end of its
   * back-off unless `force`. `isDone`: no retry is needed.
   */
  async flush({ force = false }: { force?: boolean } = {}): Promise<{ isDone: boolean }> {
    const { database } = this.#options
    // Records that are added at the end of a run need another run.
    this.#needsRun = true
    this.#forced ||= force
    this.#running ??= (async () => {
      while (this.#needsRun) {
        const atOnce = this.#forced
        this.#needsRun = this.#forced = false
        await this.#run(atOnce)
      }
    })().finally(() => {
      this.#running = undefined
    })
    await this.#running
    const troubles = [await readSetting(database, 'trouble'), await readSetting(database, 'captureTrouble')]
    return { isDone: troubles.every(trouble => trouble === undefined) }
  }
}

const ingest = async (account: Account, batch: QueuedRecord[]): Promise<IngestResult[]> => {
  const [first] = batch
  if (!first) return []
  const { results } = await callApi(account, endpoints.ingest, {
    params: { source: first.source },
    body: { records: batch.map(({ record }) => record) },
  })
  if (results.length !== batch.length) throw invalidResponse(account.server)
  return results
}
