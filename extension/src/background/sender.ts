import { ApiError, type IngestResult } from '@iodine/contracts'
import { callApi, endpoints, nonsense } from './api'
import { type Account, type Database, ownerOf, readSetting, type Waiting, writeSetting } from './database'
import type { Queue } from './queue'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 5 * 60_000

export interface Sender {
  /**
   * Sends the queued records of the signed-in account. Waits for the end of the back-off unless `force`.
   * `isDone`: no retry is needed.
   */
  flush(options?: { force?: boolean }): Promise<{ isDone: boolean }>
}

export interface SenderOptions {
  database: Database
  queue: Queue
  /** Schedules a call of `flush` (milliseconds of `Date.now()`). */
  wakeAt: (time: number) => void
  /** Random numbers from 0 to 1 for the jitter of the back-off. */
  random?: () => number
}

/** Sends the queue's records, one batch at a time, with exponential back-off after failures. */
export const createSender = ({ database, queue, wakeAt, random = Math.random }: SenderOptions): Sender => {
  let running: Promise<void> | undefined
  let again = false
  let forced = false

  const run = async (force: boolean): Promise<void> => {
    const trouble = await readSetting(database, 'trouble')
    if (!force && trouble && trouble.until > Date.now()) return wakeAt(trouble.until)
    let max: number | undefined
    for (;;) {
      const account = await readSetting(database, 'account')
      if (!account?.token) return
      const batch = await queue.next(ownerOf(account), max)
      const [first] = batch
      if (!first) return writeSetting(database, 'trouble', undefined)
      try {
        await queue.settle(batch, await handIn(account, batch))
        max = undefined
        await writeSetting(database, 'trouble', undefined)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (error.status === 401) return endSession(account)
        if (!isRefusal(error)) return postpone(error)
        // The server refuses a record of the batch. Halving the batch isolates it, and the others are sent.
        if (batch.length === 1) await queue.settle([first], [{ error: error.message }])
        max = batch.length === 1 ? undefined : Math.ceil(batch.length / 2)
      }
    }
  }

  const endSession = async (account: Account) => {
    const { token, ...ended } = account
    const now = await readSetting(database, 'account')
    // The user may have signed in again during the request.
    if (now?.token === token) await writeSetting(database, 'account', ended)
  }

  const postpone = async (error: ApiError) => {
    const attempts = ((await readSetting(database, 'trouble'))?.attempts ?? 0) + 1
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20))
    const until = Date.now() + Math.max(error.retryAfterMs, wait * (0.5 + random() / 2))
    await writeSetting(database, 'trouble', { reason: error.message, until, attempts })
    wakeAt(until)
  }

  return {
    async flush({ force = false } = {}) {
      // Records that are added while a run ends need another run.
      again = true
      forced ||= force
      running ??= (async () => {
        while (again) {
          const atOnce = forced
          again = forced = false
          await run(atOnce)
        }
      })().finally(() => {
        running = undefined
      })
      await running
      return { isDone: (await readSetting(database, 'trouble')) === undefined }
    },
  }
}

/** Whether the server refuses the request itself. Other failures are retried. */
const isRefusal = ({ status }: ApiError): boolean => [400, 413, 415, 422].includes(status)

const handIn = async (account: Account, batch: Waiting[]): Promise<IngestResult[]> => {
  const [first] = batch
  if (!first) return []
  const { results } = await callApi(account, endpoints.ingest, {
    params: { source: first.source },
    body: { records: batch.map(({ record }) => record) },
  })
  if (results.length !== batch.length) throw nonsense(account.server)
  return results
}
