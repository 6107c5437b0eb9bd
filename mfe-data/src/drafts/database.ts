import type { Report } from '@iodine/imports'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { SavedMapping } from '../model/column-mapping'
import type { Draft, StoredBatch } from '../model/import-draft'

/** Begins with the prefix of all drafts: `forgetDrafts` deletes the database at sign-out. */
const NAME = 'iodine:draft:imports'

export type SkippedItem = Report['skipped'][number]

interface Schema extends DBSchema {
  drafts: { key: string; value: Draft; indexes: { owner: string } }
  batches: { key: [draft: string, offset: number]; value: StoredBatch }
  /** Items of a draft's file that yield no record, by the draft's id. */
  skipped: { key: string; value: SkippedItem[] }
  mappings: { key: [owner: string, columns: string]; value: SavedMapping }
}
type Database = IDBPDatabase<Schema>

const open = (): Promise<Database> =>
  openDB<Schema>(NAME, 1, {
    upgrade(db) {
      db.createObjectStore('drafts', { keyPath: 'id' }).createIndex('owner', 'owner')
      db.createObjectStore('batches', { keyPath: ['draft', 'offset'] })
      db.createObjectStore('skipped')
      db.createObjectStore('mappings', { keyPath: ['owner', 'columns'] })
    },
    // The sign-out deletes the database, also from another tab.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
  })

/** Runs `work` with the database of prepared imports. Rejects if the browser forbids or lacks storage. */
const withDatabase = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
  const db = await open()
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

const rangeOf = (draft: string) => IDBKeyRange.bound([draft, 0], [draft, Number.POSITIVE_INFINITY])

export const storeBatch = (batch: StoredBatch) => withDatabase(db => db.put('batches', batch))

/** Stores a draft whose file was read, with the items that yield no record. */
export const storeRead = (draft: Draft, skipped: SkippedItem[]) =>
  withDatabase(async db => {
    const transaction = db.transaction(['drafts', 'skipped'], 'readwrite')
    await transaction.objectStore('drafts').put(draft)
    await transaction.objectStore('skipped').put(skipped, draft.id)
    await transaction.done
  })

/** Stores changes of a draft that still exists. */
export const storeDraft = (draft: Draft) =>
  withDatabase(async db => {
    const { store, done } = db.transaction('drafts', 'readwrite')
    if (await store.getKey(draft.id)) await store.put(draft)
    await done
  })

/** Returns the drafts of a user, oldest first. */
export const listDrafts = async (owner: string): Promise<Draft[]> => {
  const drafts = await withDatabase(db => db.getAllFromIndex('drafts', 'owner', owner))
  return drafts.sort((a, b) => a.created_at - b.created_at)
}

/** Returns the first batch of a draft at or after a position, in order; undefined after the last one. */
export const nextBatch = (draft: string, offset: number): Promise<StoredBatch | undefined> =>
  withDatabase(async db => {
    const range = IDBKeyRange.bound([draft, offset], [draft, Number.POSITIVE_INFINITY])
    return (await db.transaction('batches').store.openCursor(range))?.value
  })

/** Stores the progress of a draft that still exists, and deletes a batch that the server has received. */
export const storeProgress = (draft: Draft, received: StoredBatch) =>
  withDatabase(async db => {
    const transaction = db.transaction(['drafts', 'batches'], 'readwrite')
    await transaction.objectStore('batches').delete([draft.id, received.offset])
    const drafts = transaction.objectStore('drafts')
    if (await drafts.getKey(draft.id)) await drafts.put(draft)
    await transaction.done
  })

/** Returns the items of a draft's file that yield no record, in the file's order: at most 100,000. */
export const skippedItems = async (draft: string): Promise<SkippedItem[]> =>
  (await withDatabase(db => db.get('skipped', draft))) ?? []

/** Deletes a draft with its batches. */
export const deleteDraft = (draft: string) =>
  withDatabase(async db => {
    const transaction = db.transaction(['drafts', 'batches', 'skipped'], 'readwrite')
    await transaction.objectStore('drafts').delete(draft)
    await transaction.objectStore('batches').delete(rangeOf(draft))
    await transaction.objectStore('skipped').delete(draft)
    await transaction.done
  })

/**
 * Deletes batches without a draft: those of files whose reading was interrupted.
 * @param readingNow returns the drafts whose files are being read. A draft is stored before its reading ends.
 */
export const deleteAbandoned = (readingNow: () => Promise<ReadonlySet<string>>) =>
  withDatabase(async db => {
    const ids = new Set((await db.getAllKeys('batches')).map(([draft]) => draft))
    const reading = await readingNow()
    const drafts = new Set(await db.getAllKeys('drafts'))
    for (const id of ids) if (!drafts.has(id) && !reading.has(id)) await db.delete('batches', rangeOf(id))
  })

export const storeMapping = (mapping: SavedMapping) => withDatabase(db => db.put('mappings', mapping))

export const findMapping = (owner: string, columns: string) =>
  withDatabase(db => db.get('mappings', [owner, columns]))
