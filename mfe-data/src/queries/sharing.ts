import type { SharedAs, Source } from '@iodine/contracts'
import { errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'

const listKey = (source: Source) => ['shared-records', source]

/** Reads how records of a source are shared, by id. Unshared records are missing. */
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
  /** 'username' or 'anonymous'; null stops sharing. */
  as: SharedAs | null
}

/** Shares records of a source with all members, or stops sharing them. */
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
    done: ({ shared }, { ids }) =>
      shared
        ? {
            title: 'Shared',
            description: `Other members can now find ${ids.length === 1 ? 'it' : 'them'} in Origins. You can stop sharing at any time.`,
          }
        : {
            title: 'Sharing stopped',
            description: `Other members no longer find ${ids.length === 1 ? 'it' : 'them'} in Origins.`,
          },
    failed: (error, { as }) => errorToast(error, as ? 'Unable to share' : 'Unable to stop sharing'),
  })
}
