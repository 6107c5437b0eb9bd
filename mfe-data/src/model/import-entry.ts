import type { Draft } from './import-draft'
import type { Questions } from './import-questions'

interface Named {
  /** Of the draft. */
  id: string
  file_name: string
  /** Bytes. */
  size: number
}

/** A chosen file, from reading to the last batch. */
export type ImportEntry = Named &
  (
    | { state: 'reading'; fraction: number }
    | { state: 'asking'; questions: Questions }
    | { state: 'failed'; message: string }
    /** `comparing`: the server is asked which records are known. `fault`: why it did not begin or go on. */
    | { state: 'comparing' | 'ready' | 'sending' | 'paused'; draft: Draft; fault?: string }
  )

/** Returns the entry of a draft that a former visit of the page left. */
export const entryOf = (draft: Draft): ImportEntry => ({
  id: draft.id,
  file_name: draft.file_name,
  size: draft.size,
  state: draft.import_id ? 'paused' : 'ready',
  draft,
})
