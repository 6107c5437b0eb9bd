import type { SharedAs, Source } from '@iodine/contracts'
import { errorToast, useHost, writeOver } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'

const listKey = (source: Source) => ['shared-records', source]

/** How records of a source are shared, by id; those that are not shared are left out. */
export function useSharedRecords(source: Source) {
  const { api } = useHost()
  return useQuery({
    queryKey: listKey(source),
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, SharedAs>> => {
      const all = await api.call('GET /:source/data/shared', { params: { source }, signal })
      return new Map(all.map(({ id, shared }) => [id, shared]))
    },
  })
}

/** Shares records of a source with all members, with the username or without, or stops it (null), and says so. */
export function useShare(source: Source) {
  const { api, notify } = useHost()
  const client = useQueryClient()
  /** Resolves to whether it is done. */
  return async (ids: string[], as: SharedAs | null): Promise<boolean> => {
    try {
      const { shared } = await api.call('POST /:source/data/share', {
        params: { source },
        body: as ? { ids, shared: true, as } : { ids, shared: false },
      })
      const change = (current: ReadonlyMap<string, SharedAs> = new Map()) => {
        const next = new Map(current)
        for (const id of ids) {
          if (shared) next.set(id, shared)
          else next.delete(id)
        }
        return next
      }
      await writeOver(client, [listKey(source)], () => client.setQueryData(listKey(source), change))
      notify({
        title: shared ? 'Shared' : 'Not shared any more',
        description: shared
          ? 'Members who search shared records in Origins find it. You can stop that at any time.'
          : 'Nobody else finds it in Origins.',
        status: 'success',
      })
      return true
    } catch (error) {
      notify(errorToast(error, as ? 'This could not be shared' : 'Sharing could not be stopped'))
      return false
    }
  }
}
