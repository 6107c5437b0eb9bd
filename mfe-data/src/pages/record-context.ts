import type { KnownIods } from '@iodine/known-iods'
import { createContext, use } from 'react'

/** What a card passes to its fields. */
export interface RecordContextValue {
  known: KnownIods
  /** Opens the form for an IOD made from `value`, found at `path` of the record. */
  startIod: (path: string, value: string) => void
}

export const RecordContext = createContext<RecordContextValue | null>(null)

export function useRecordContext(): RecordContextValue {
  const context = use(RecordContext)
  if (!context) throw new Error('Fields stand inside a record card')
  return context
}
