import { ApiError, type IngestResult } from '@iodine/contracts'
import { callApi, endpoints, nonsense } from './api'
import { type Account, type Database, ownerOf, readSetting, type Waiting, writeSetting } from './database'
import type { Queue } from './queue'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 5 * 60_000

export interface Sender {
  /** Sends all that waits for the account that is signed in. With `force` at once, else not before the back-off's end. Done: nothing is left that a later try could send. */
  flush(options?: { force?: boolean }): Promise<{ isDone: boolean }>
}

export interface SenderOptions {
  database: Database
  queue: Queue
  /** Calls `flush` again at a time (milliseconds of `Date.now()`). */
  wakeAt: (time: number) => void
  /** Shares of the wait that are left to chance, so that many collectors don't come back in step; 0 to 1. */
  random?: () => number
}

/** Hands the queue's records in, one batch at a time, and waits longer after each failure. */
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
        // Something in the batch is to blame: halving it finds what, and lets the rest pass.
        if (batch.length === 1) await queue.settle([first], [{ error: error.message }])
        max = batch.length === 1 ? undefined : Math.ceil(batch.length / 2)
      }
    }
  }

  const endSession = async (account: Account) => {
    const { token, ...ended } = account
    const now = await readSetting(database, 'account')
    // Somebody may have signed in while the request was on its way.
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
      // What comes in while a run is about to end needs another one.
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

/** Whether it is the request that the server minds: every other failure may be over when it comes again. */
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
