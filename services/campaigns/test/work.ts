import type { StoreService } from '@iodine/service-kit'
import { expect, vi } from 'vitest'

type Kind = 'import' | 'publication' | 'audit'

/** Waits until no work is due: of a kind (by default imports and publications), of one id. */
export const workDone = (
  { mongo }: Pick<StoreService, 'mongo'>,
  kind: Kind | RegExp = /^(import|publication)$/,
  id?: string,
): Promise<void> =>
  vi.waitFor(
    async () => {
      // Leases and retries end before it, what waits for a time does not.
      const due_at = { $lt: new Date(Date.now() + 50_000) }
      const due = { kind, due_at, ...(id && { key: id.toLowerCase() }) }
      expect(await mongo.collection('outbox').countDocuments(due)).toBe(0)
    },
    { timeout: 60_000, interval: 10 },
  )

/** Publishes changes of campaigns now, and waits for it. */
export const publishChanges = async (
  service: Pick<StoreService, 'mongo' | 'outbox'>,
  id?: string,
): Promise<void> => {
  const waiting = { kind: 'publication', lease: { $exists: false }, ...(id && { key: id.toLowerCase() }) }
  await service.mongo.collection('outbox').updateMany(waiting, { $set: { due_at: new Date(0) } })
  service.outbox.wake()
  await workDone(service, 'publication', id)
}

/** Compares publications now, whenever they were compared last, and waits for it. */
export const sweepPublications = async (
  service: Pick<StoreService, 'mongo' | 'outbox' | 'tasks'>,
): Promise<void> => {
  await service.mongo.collection('publications').updateMany({}, { $set: { at: new Date(0) } })
  await service.tasks.run('publications')
  await workDone(service, 'publication')
}

/** Makes work due that waits for a time, also what another run holds. */
export const makeDue = async (
  { mongo, outbox }: Pick<StoreService, 'mongo' | 'outbox'>,
  key: string,
): Promise<void> => {
  const change = { $set: { due_at: new Date(0) }, $unset: { lease: 1 as const } }
  await mongo.collection('outbox').updateMany({ key: key.toLowerCase() }, change)
  outbox.wake()
}

/** A gate that answers of stubs can wait at. */
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
    /** Resolves once an answer waits. */
    reached,
    async pass(): Promise<void> {
      reach()
      await opened
    },
  }
}
