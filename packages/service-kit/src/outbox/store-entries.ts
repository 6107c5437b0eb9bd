import type { Connection } from '../stores/mongo.js'

/** Content of a new entry. */
export interface EntryContent {
  kind: string
  payload: object
  key?: string
  due_at?: Date | undefined
}

/** Stores entries of the outbox, for migrations. Idempotent until the entries are handled. */
export const storeEntries = async (
  mongo: Connection,
  entries: AsyncIterable<EntryContent> | Iterable<EntryContent>,
): Promise<void> => {
  const now = new Date()
  const outbox = mongo.collection('outbox')
  for await (const { kind, payload, key, due_at = now } of entries)
    await outbox.updateOne(
      { kind, payload },
      { $setOnInsert: { attempts: 0, due_at, created_at: now, ...(key !== undefined && { key }) } },
      { upsert: true },
    )
}
