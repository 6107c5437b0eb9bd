import type { StoreService } from '@iodine/service-kit'
import { expect, vi } from 'vitest'

type Kind = 'import' | 'publication' | 'audit'

/** Waits until no outbox entry is due: of a kind (by default imports and publications), of one id. */
export const workDone = (
  { mongo }: Pick<StoreService, 'mongo'>,
  kind: Kind | RegExp = /^(import|publication)$/,
  id?: string,
): Promise<void> =>
  vi.waitFor(
    async () => {
      // Includes leases and retries, but not entries that wait for a later time.
      const due_at = { $lt: new Date(Date.now() + 50_000) }
      const due = { kind, due_at, ...(id && { key: id.toLowerCase() }) }
      expect(await mongo.collection('outbox').countDocuments(due)).toBe(0)
    },
    { timeout: 60_000, interval: 10 },
  )

/**
 * Waits until no publication is due: of all campaigns, or of one. A publication that waits for another one of its
 * creator, which takes a second each time, is tried again at once.
 */
const publicationsDone = (
  { mongo, outbox }: Pick<StoreService, 'mongo' | 'outbox'>,
  id?: string,
): Promise<void> =>
  vi.waitFor(
    async () => {
      const due_at = { $lt: new Date(Date.now() + 50_000) }
      const due = { kind: 'publication', due_at, ...(id && { key: id.toLowerCase() }) }
      const waiting = { ...due, due_at: { ...due_at, $gt: new Date() }, lease: { $exists: false } }
      const { modifiedCount } = await mongo
        .collection('outbox')
        .updateMany(waiting, { $set: { due_at: new Date(0) } })
      if (modifiedCount > 0) outbox.wake()
      expect(await mongo.collection('outbox').countDocuments(due)).toBe(0)
    },
    { timeout: 60_000, interval: 10 },
  )

/** Publishes changes of campaigns at once, and waits for the result. */
export const publishChanges = async (
  service: Pick<StoreService, 'mongo' | 'outbox'>,
  id?: string,
): Promise<void> => {
  const waiting = { kind: 'publication', lease: { $exists: false }, ...(id && { key: id.toLowerCase() }) }
  await service.mongo.collection('outbox').updateMany(waiting, { $set: { due_at: new Date(0) } })
  service.outbox.wake()
  await publicationsDone(service, id)
}

/** Compares all publications at once, and waits for the result. */
export const sweepPublications = async (
  service: Pick<StoreService, 'mongo' | 'outbox' | 'tasks'>,
): Promise<void> => {
  await service.mongo.collection('publications').updateMany({}, { $set: { at: new Date(0) } })
  await service.tasks.run('publications')
  await publicationsDone(service)
}

/** Makes outbox entries due that wait for a time, also leased ones. */
export const makeDue = async (
  { mongo, outbox }: Pick<StoreService, 'mongo' | 'outbox'>,
  key: string,
): Promise<void> => {
  const change = { $set: { due_at: new Date(0) }, $unset: { lease: 1 as const } }
  await mongo.collection('outbox').updateMany({ key: key.toLowerCase() }, change)
  outbox.wake()
}

/** Creates a gate at which a stub's response waits. */
export const gate = () => {
  let open = () => {}
  let reach = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  const reached = new Promise<void>(resolve => {
    reach = resolve
  })
  return {
    open,
    /** Resolves once a response waits. */
    reached,
    async pass(): Promise<void> {
      reach()
      await opened
    },
  }
}
