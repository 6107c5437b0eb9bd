import type { KnownIods } from '@iodine/known-iods'
import { createContext, use } from 'react'
import type { Picked } from '../model/record-view'

/** The context that a card provides to its fields. */
export interface RecordContextValue {
  known: KnownIods
  /** Opens the form that creates an IOD from words of the record. */
  startIod: (picked: Picked) => void
}

/** The searched term, marked in the fields; empty without a search. */
export const SearchTerm = createContext('')

export const RecordContext = createContext<RecordContextValue | null>(null)

export function useRecordContext(): RecordContextValue {
  const context = use(RecordContext)
  if (!context) throw new Error('Fields stand inside a record card')
  return context
}

/** The records that are selected; null while none can be. */
export const ChosenRecords = createContext<{
  ids: ReadonlySet<string>
  toggle: (id: string) => void
} | null>(null)
