import type { Iod, Narrative } from '@iodine/contracts'
import { lookupBatches } from '@iodine/known-iods'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'
import { iodMatcher, tripletValue } from '../model/triplets'

const KEY = 'triplet-iods'

/** Returns a function that finds the existing IOD of a triplet: by value, or created from it with another value. */
export function useTripletIods(narratives: readonly Narrative[] | undefined) {
  const { api, session } = useHost()
  const userId = session.user.id
  const triplets = useMemo(() => narratives?.flatMap(narrative => narrative.triplets) ?? [], [narratives])
  // Triplets are immutable and their ids unique, so their number and the sum of their ids identify the list.
  const idSum = triplets.reduce((sum, triplet) => sum + triplet.id, 0)
  const { data } = useQuery({
    queryKey: [KEY, triplets.length, idSum],
    enabled: triplets.length > 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const answers = await Promise.all([
        // Only the owner can read triplets, so IODs created from them are the owner's.
        api.call('GET /iods', { query: { source_type: 'NARRATIVES', created_by: userId }, signal }),
        ...lookupBatches(triplets.map(tripletValue)).map(values =>
          api.call('POST /iods/lookup', { body: { values }, signal }),
        ),
      ])
      return answers.flat()
    },
  })
  return useMemo(() => iodMatcher(data ?? []), [data])
}

/**
 * Updates the IODs of triplets in the cache. `add` adds a new IOD. `refresh` refetches all: another user may have
 * created the same IOD.
 */
export function useTripletIodCache() {
  const client = useQueryClient()
  return {
    add: (iod: Iod) =>
      writeOver(client, [[KEY]], () =>
        client.setQueriesData<Iod[]>({ queryKey: [KEY] }, iods => [...(iods ?? []), iod]),
      ),
    refresh: () => void client.invalidateQueries({ queryKey: [KEY] }),
  }
}
