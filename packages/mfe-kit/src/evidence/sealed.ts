import type { CaptureSummary } from '@iodine/contracts'
import { usePagedValues } from '@iodine/mfe-kit/query'
import { useHost } from '../use-host'
import { CAPTURES } from './queries'

/** Ids per request, equal to a page of a list of records. */
const PAGE = 20

/** Sealed captures, newest first, by the id of the record that was made from the same page. */
export type SealedCaptures = ReadonlyMap<string, readonly CaptureSummary[]>

/**
 * Reads the user's sealed captures of the records in view, with one request per page of 20 records. `from` and `to` are
 * the indexes of the records in view.
 */
export function useSealedCaptures(recordIds: readonly string[], from: number, to: number): SealedCaptures {
  const { api } = useHost()
  const read = (page: string[], signal: AbortSignal) =>
    api.call('GET /captures', { query: { record_id: page }, signal })
  const key = [...CAPTURES, 'of-records']
  return usePagedValues({ key, size: PAGE, read, combine: byRecord }, recordIds, from, to)
}

function byRecord(pages: { data: CaptureSummary[] | undefined }[]): SealedCaptures {
  const found = new Map<string, CaptureSummary[]>()
  for (const capture of pages.flatMap(({ data }) => data ?? [])) {
    const { record_id, state } = capture
    if (record_id === null || state !== 'sealed') continue
    found.set(record_id, [...(found.get(record_id) ?? []), capture])
  }
  return found
}
