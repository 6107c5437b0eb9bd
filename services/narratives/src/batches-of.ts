import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** The methods of the driver's cursor that `batchesOf` needs. */
interface BatchCursor<T> {
  hasNext(): Promise<boolean>
  readBufferedDocuments(): T[]
  close(): Promise<void>
}

/**
 * Yields the documents of a cursor of the driver in batches, and closes the cursor: one promise per document would
 * double the cost at a million documents. The database fills the next batch while the caller handles one.
 */
export async function* batchesOf<T>(cursor: BatchCursor<T>): AsyncGenerator<T[]> {
  let next = cursor.hasNext()
  try {
    while (await next) {
      const batch = cursor.readBufferedDocuments()
      next = cursor.hasNext()
      next.catch(() => {})
      await yieldToEventLoop()
      yield batch
    }
  } finally {
    await next.catch(() => {})
    await cursor.close()
  }
}
