import type { CoordinationRun, RunQuestion } from '@iodine/contracts'
import { useHost, writeOver } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { coSharesOf } from '../model/co-shares'

const POLL_MS = 1_000
const RUNS = ['coordination-runs'] as const

export const isUnderWay = ({ state }: CoordinationRun): boolean => state === 'queued' || state === 'running'

/** The user's runs, newest first; asked for again each second while one is under way. */
export function useRuns() {
  const { api } = useHost()
  return useQuery({
    queryKey: RUNS,
    queryFn: ({ signal }) => api.call('GET /coordination/runs', { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? POLL_MS : false),
  })
}

/** Begins and removes runs. */
export function useRunCommands() {
  const { api } = useHost()
  const client = useQueryClient()
  const change = (update: (runs?: CoordinationRun[]) => CoordinationRun[] | undefined) =>
    writeOver(client, [RUNS], () => client.setQueryData(RUNS, update))
  return {
    begin: async (body: RunQuestion): Promise<CoordinationRun> => {
      const run = await api.call('POST /coordination/runs', { body })
      await change(runs => [run, ...(runs ?? [])])
      return run
    },
    remove: async (id: string): Promise<void> => {
      await api.call('DELETE /coordination/runs/:id', { params: { id } })
      await change(runs => runs?.filter(run => run.id !== id))
    },
  }
}

/** What a run that is done found. */
export function useCoShares(id: string | undefined) {
  const { api } = useHost()
  return useQuery({
    queryKey: ['coordination-graph', id],
    enabled: id !== undefined,
    queryFn: async ({ signal }) =>
      coSharesOf(await api.call('GET /coordination/runs/:id/graph', { params: { id: id ?? '' }, signal })),
  })
}

/** The posts behind an edge of a run. */
export function useEvidence(id: string, a: string, b: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: ['coordination-shares', id, a, b],
    queryFn: ({ signal }) =>
      api.call('GET /coordination/runs/:id/shares', { params: { id }, query: { a, b }, signal }),
  })
}
