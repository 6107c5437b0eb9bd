import type { ApiClient } from '@iodine/mfe-kit'
import { hasStatus, isApiError } from '@iodine/mfe-kit'
import type { Draft } from '../model/import-draft'
import { deleteDraft, nextBatch, storeDraft, storeProgress } from './database'

/** The import was undone, or belongs to another account: its draft cannot be continued. */
export class ImportGoneError extends Error {
  override name = 'ImportGoneError'
}

export interface SendOptions {
  api: ApiClient
  signal: AbortSignal
  /** Called with the draft after each batch. */
  onProgress: (draft: Draft) => void
}

/** Waits for a time in milliseconds, or rejects if `signal` is aborted. */
const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })

/** Repeats a call that the server refuses for a moment, as it asks with Retry-After. */
const patiently = async <T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!hasStatus(error, 429) || !isApiError(error) || error.retryAfterMs === 0) throw error
      await wait(error.retryAfterMs, signal)
    }
  }
}

/** Begins the import on the server, or reads how much of it was received. */
const begin = async (draft: Draft, { api, signal }: SendOptions): Promise<Draft> => {
  if (draft.import_id) {
    const server = await api.call('GET /imports/:id', { params: { id: draft.import_id }, signal })
    if (server.state !== 'open') throw new ImportGoneError('The import is being undone')
    return { ...draft, sent: server.received }
  }
  const { format, file_name, file_sha256, file_time, total, known } = draft
  const server = await api.call('POST /imports', {
    body: {
      format,
      file_name,
      file_sha256,
      file_time,
      total,
      ...(known !== undefined && { new_records: total - known }),
    },
    signal,
  })
  const begun = { ...draft, import_id: server.id }
  await storeDraft(begun)
  return begun
}

/**
 * Sends the batches of a draft in order, from the position that the server has, and deletes the draft at the end. After
 * any failure or an abort a later call continues.
 * @throws ApiError of the server, ImportGoneError after an undo
 */
export const sendDraft = async (draft: Draft, options: SendOptions): Promise<void> => {
  const { api, signal, onProgress } = options
  let current = await begin(draft, options).catch(error => {
    if (draft.import_id && hasStatus(error, 404)) throw new ImportGoneError('The import was undone')
    throw error
  })
  onProgress(current)
  for (let next = 0; ; ) {
    signal.throwIfAborted()
    const batch = await nextBatch(current.id, next)
    if (!batch) break
    const { source, records, offset } = batch
    if (offset >= current.sent) {
      const body = { records, offset, import_id: current.import_id as string }
      await patiently(() => api.call('POST /:source/data', { params: { source }, body, signal }), signal)
      current = { ...current, sent: offset + records.length }
    }
    next = offset + records.length
    await storeProgress(current, batch)
    onProgress(current)
  }
  await deleteDraft(current.id)
}
