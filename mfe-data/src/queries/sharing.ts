import type { SharedAs, Source } from '@iodine/contracts'
import { errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'

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

interface Sharing {
  ids: string[]
  /** With the username or without; null stops the sharing. */
  as: SharedAs | null
}

/** Shares records of a source with all members, or stops it. */
export function useShare(source: Source) {
  const { api } = useHost()
  const client = useQueryClient()
  return useAction({
    mutationFn: ({ ids, as }: Sharing) =>
      api.call('POST /:source/data/share', {
        params: { source },
        body: as ? { ids, shared: true, as } : { ids, shared: false },
      }),
    onSuccess: ({ shared }, { ids }) => {
      const change = (current: ReadonlyMap<string, SharedAs> = new Map()) => {
        const next = new Map(current)
        for (const id of ids) {
          if (shared) next.set(id, shared)
          else next.delete(id)
        }
        return next
      }
      return writeOver(client, [listKey(source)], () => client.setQueryData(listKey(source), change))
    },
    done: ({ shared }) =>
      shared
        ? {
            title: 'Shared',
            description:
              'Members who search shared records in Origins find it. You can stop that at any time.',
          }
        : { title: 'Not shared any more', description: 'Nobody else finds it in Origins.' },
    failed: (error, { as }) =>
      errorToast(error, as ? 'This could not be shared' : 'Sharing could not be stopped'),
  })
}
