import type { KnownIods } from '@iodine/known-iods'
import { createContext, use } from 'react'

/** The context that a card provides to its fields. */
export interface RecordContextValue {
  known: KnownIods
  /** Opens the form that creates an IOD from `value`, which is at `path` of the record. */
  startIod: (path: string, value: string) => void
}

/** The searched term, marked in the fields; empty without a search. */
export const SearchTerm = createContext('')

export const RecordContext = createContext<RecordContextValue | null>(null)

export function useRecordContext(): RecordContextValue {
  const context = use(RecordContext)
  if (!context) throw new Error('Fields stand inside a record card')
  return context
}
