import { type CoordinationRun, LIMITS, type RunParameters, type RunSubject } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { coSharesOf } from '../model/co-shares'

const POLL_MS = 1_000
const RUNS = ['coordination-runs'] as const

export const isUnderWay = ({ state }: CoordinationRun): boolean => state === 'queued' || state === 'running'

/** Reads the user's runs, newest first. Polls each second while a run is queued or running. */
export function useRuns() {
  const { api } = useHost()
  return useQuery({
    queryKey: RUNS,
    queryFn: ({ signal }) => api.call('GET /coordination/runs', { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? POLL_MS : false),
  })
}

/** Returns actions that start and remove runs. `onOpen` receives the id of the run to show; null after a removal. */
export function useRunCommands(onOpen: (id: string | null) => void) {
  const { api } = useHost()
  const client = useQueryClient()
  const change = (update: (runs?: CoordinationRun[]) => CoordinationRun[] | undefined) =>
    writeOver(client, [RUNS], () => client.setQueryData(RUNS, update))
  const begin = useAction({
    mutationFn: (body: RunParameters) => api.call('POST /coordination/runs', { body }),
    onSuccess: async run => {
      await change(runs => [run, ...(runs ?? [])])
      onOpen(run.id)
    },
    failed: 'The run could not be started',
  })
  const remove = useAction({
    mutationFn: (id: string) => api.call('DELETE /coordination/runs/:id', { params: { id } }),
    onSuccess: async (_, id) => {
      await change(runs => runs?.filter(run => run.id !== id))
      onOpen(null)
    },
    failed: 'The run could not be removed',
  })
  return { begin, remove }
}

/** Reads the network of a completed run. */
export function useCoShares(id: string | undefined) {
  const { api } = useHost()
  return useQuery({
    queryKey: ['coordination-graph', id],
    enabled: id !== undefined,
    queryFn: async ({ signal }) =>
      coSharesOf(await api.call('GET /coordination/runs/:id/graph', { params: { id: id ?? '' }, signal })),
  })
}

/** Reads the posts behind an edge of a run. */
export function useEvidence(id: string, a: string, b: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: ['coordination-shares', id, a, b],
    queryFn: ({ signal }) =>
      api.call('GET /coordination/runs/:id/shares', { params: { id }, query: { a, b }, signal }),
  })
}

/** Reads the user's posts that a run left out. */
export function useLeftOut(id: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: ['coordination-left-out', id],
    queryFn: ({ signal }) => api.call('GET /coordination/runs/:id/left-out', { params: { id }, signal }),
  })
}

const nameOf = (name: string) => name.slice(0, LIMITS.runNameMax)

/** Reads a run's subject from the URL: an IOD (`iod`), a campaign, a record of the user, or a text (`about`). */
export function useAbout(search: URLSearchParams) {
  const { api } = useHost()
  const param = (['iod', 'campaign', 'record', 'about'] as const).find(by => search.get(by))
  const words = (param && search.get(param)) ?? ''
  return useQuery({
    queryKey: ['coordination-about', param, words],
    enabled: param !== undefined,
    queryFn: async ({ signal }): Promise<RunSubject> => {
      if (param === 'record') return { name: 'Posts like one of your records', record_id: words }
      if (param === 'about') return { name: nameOf(words), values: [words] }
      const params = { id: words }
      if (param === 'iod') {
        const { value } = await api.call('GET /iods/:id', { params, signal })
        return { name: nameOf(value), values: [value] }
      }
      const { name, iods } = await api.call('GET /campaigns/:id', { params, signal })
      const values = iods.map(({ value }) => value)
      const kept = values.slice(0, LIMITS.coordinationValues)
      const part = kept.length < values.length ? `, its first ${kept.length} IODs` : ''
      return { name: nameOf(`Campaign: ${name}${part}`), values: kept }
    },
  })
}
