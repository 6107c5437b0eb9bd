import type { Iod, Narrative, Triplet } from '@iodine/contracts'
import { lookupBatches } from '@iodine/known-iods'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback, useMemo } from 'react'
import { iodMatcher, tripletValue } from '../model/triplets'

const KEY = 'triplet-iods'

/** The triplets that are IODs already, by their value or made from them under another value. */
export function useTripletIods(narratives: readonly Narrative[] | undefined) {
  const { api, session } = useHost()
  const userId = session.user.id
  const triplets = useMemo(() => narratives?.flatMap(narrative => narrative.triplets) ?? [], [narratives])
  // Triplets never change and their ids are unique, so their number and sum identify the list.
  const idSum = triplets.reduce((sum, triplet) => sum + triplet.id, 0)
  const { data } = useQuery({
    queryKey: [KEY, triplets.length, idSum],
    enabled: triplets.length > 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const answers = await Promise.all([
        // Only the owner sees triplets, so IODs made from them are the owner's.
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
 * Creates an IOD from a triplet and marks the triplet. Rejects where the server refuses; the marks are then read again,
 * because another user may have created the same IOD.
 */
export function useConvertTriplet() {
  const { api } = useHost()
  const client = useQueryClient()
  return useCallback(
    async (triplet: Triplet, value: string, description: string): Promise<void> => {
      try {
        const iod = await api.call('POST /iods', {
          body: {
            value,
            category: 'NARRATIVE_TRIPLET',
            description,
            source_type: 'NARRATIVES',
            source: triplet.narrative_data.src,
            source_id: triplet.id,
          },
        })
        client.setQueriesData<Iod[]>({ queryKey: [KEY] }, iods => [...(iods ?? []), iod])
      } catch (error) {
        void client.invalidateQueries({ queryKey: [KEY] })
        throw error
      }
    },
    [api, client],
  )
}
