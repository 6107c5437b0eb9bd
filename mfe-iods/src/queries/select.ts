import { type Iod, type IodSort, LIMITS, type Page } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { type IodFilters, toQuery } from '../model/filters'

/** Returns a function that reads the first `max` matching IODs, in order. `onStep` receives the number read so far. */
export function useReadMatching(filters: IodFilters, sort: IodSort) {
  const { api } = useHost()
  return async (max: number, signal: AbortSignal, onStep: (read: number) => void): Promise<Iod[]> => {
    const found = new Map<string, Iod>()
    let cursor: string | null = null
    do {
      const query = { ...toQuery(filters), sort, limit: LIMITS.listLimitMax, ...(cursor && { cursor }) }
      const page: Page<Iod[]> = await api.page('GET /iods', { query, signal })
      for (const iod of page.items) found.set(iod.id, iod)
      cursor = page.nextCursor
      onStep(found.size)
    } while (cursor && found.size < max)
    return [...found.values()].slice(0, max)
  }
}
