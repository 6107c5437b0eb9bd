import type { Iod, Narrative } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'
import { iodMatcher, lookupBatches, tripletValue } from '../model/triplets'

const KEY = 'narrative-iods'

/** Which triplets already are IODs: by their value, or made from them under another value. */
export function useNarrativeIods(narratives: readonly Narrative[] | undefined) {
  const { api, session } = useHost()
  const userId = session.user.id
  const client = useQueryClient()
  const triplets = useMemo(() => narratives?.flatMap(narrative => narrative.triplets) ?? [], [narratives])
  // Triplets never change and their ids are unique, so number and sum stand for the whole list.
  const idSum = triplets.reduce((sum, triplet) => sum + triplet.id, 0)
  const { data } = useQuery({
    queryKey: [KEY, triplets.length, idSum],
    enabled: triplets.length > 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const answers = await Promise.all([
        // Triplets are shown to their owner alone, so IODs made from them are the owner's.
        api.call('GET /iods', { query: { source_type: 'NARRATIVES', created_by: userId }, signal }),
        ...lookupBatches(triplets.map(tripletValue)).map(values =>
          api.call('POST /iods/lookup', { body: { values }, signal }),
        ),
      ])
      return answers.flat()
    },
  })
  return {
    iodOf: useMemo(() => iodMatcher(data ?? []), [data]),
    /** Marks the triplets of an IOD just made. */
    add: (iod: Iod) => client.setQueriesData<Iod[]>({ queryKey: [KEY] }, iods => [...(iods ?? []), iod]),
    refetch: () => client.invalidateQueries({ queryKey: [KEY] }),
  }
}
