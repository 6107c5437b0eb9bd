import type { KnownIods } from '@iodine/known-iods'
import { createContext, use } from 'react'
import type { TextSelection } from '../model/record-view'
import type { Wanted } from '../queries/records'

/** The context that a card provides to its fields. */
export interface RecordContextValue {
  known: KnownIods
  /** Opens the form that creates an IOD from text of the record. */
  startIod: (picked: TextSelection) => void
}

/** The searched term, highlighted in the fields and empty without a search, and the filters of a link from Analytics. */
export const WantedRecords = createContext<Wanted>({ term: '', analyzed: {} })

export const RecordContext = createContext<RecordContextValue | null>(null)

export function useRecordContext(): RecordContextValue {
  const context = use(RecordContext)
  if (!context) throw new Error('Fields need a record card around them')
  return context
}

/** The selected records; null while the page is not in selection mode. */
export const SelectedRecords = createContext<{
  ids: ReadonlySet<string>
  toggle: (id: string) => void
} | null>(null)
