import type { BodyOf, campaignsApi, TechniqueProposals } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import type { ProposalDraft } from '../model/proposals'
import { CAMPAIGNS_WITH, techniquesKey, USE_COUNTS } from './techniques'

/** Interval of polling a run, in milliseconds. */
const POLL_MS = 1_000
/** Number of narratives to choose from. */
const LISTED_NARRATIVES = 100

const runKey = (campaignId: string) => ['campaigns', 'run', campaignId]
const proposalsKey = (campaignId: string, pid: string) => ['campaigns', 'proposals', campaignId, pid]

/** Reads the user's newest narratives. */
export function useOwnNarratives(isNeeded: boolean) {
  const { api } = useHost()
  return useQuery({
    queryKey: ['campaigns', 'own-narratives'],
    queryFn: ({ signal }) =>
      api.call('GET /narratives/data', { query: { limit: LISTED_NARRATIVES }, signal }),
    enabled: isNeeded,
  })
}

/** A run that the user has started. */
export interface StartedRun {
  id: string
  kind: ProposalDraft['kind']
}

/**
 * Reads the proposals of the last run that the user has started for a campaign, until they are complete. The run is kept
 * while the app is open.
 */
export function useProposals(campaignId: string) {
  const { api } = useHost()
  const client = useQueryClient()
  const { data: run } = useQuery<StartedRun | null>({
    queryKey: runKey(campaignId),
    queryFn: () => client.getQueryData<StartedRun>(runKey(campaignId)) ?? null,
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  const pid = run?.id ?? ''
  const query = useQuery({
    queryKey: proposalsKey(campaignId, pid),
    queryFn: ({ signal }) =>
      api.call('GET /campaigns/:id/proposals/:pid', { params: { id: campaignId, pid }, signal }),
    enabled: pid !== '',
    refetchInterval: ({ state: { data } }) => (data?.state === 'waiting' ? POLL_MS : false),
  })
  return {
    run,
    query,
    keepRun: (next: StartedRun | null) => client.setQueryData(runKey(campaignId), next),
  }
}

/** Starts a run, whose failure the form shows. Resolves to its id. */
export function useStartRun(campaignId: string) {
  const { api } = useHost()
  return (body: BodyOf<typeof campaignsApi.propose>) =>
    api.call('POST /campaigns/:id/proposals', { params: { id: campaignId }, body })
}

/** Stores decisions on proposals. Accepted ones are techniques of the campaign then. */
export function useDecision(campaignId: string, pid: string, failureText: (error: unknown) => string) {
  const { api } = useHost()
  const client = useQueryClient()
  return useAction({
    scope: { id: `decisions of ${pid}` },
    mutationFn: ({ tid, isAccepted }: { tid: string; isAccepted: boolean }) =>
      api.call('POST /campaigns/:id/proposals/:pid/decisions', {
        params: { id: campaignId, pid },
        body: isAccepted ? { accept: [tid], reject: [] } : { accept: [], reject: [tid] },
      }),
    onSuccess: async (techniques, { tid, isAccepted }) => {
      const decision = isAccepted ? 'accepted' : 'rejected'
      const [techniquesOf, proposals] = [techniquesKey(campaignId), proposalsKey(campaignId, pid)]
      await writeOver(client, [techniquesOf, proposals], () => {
        client.setQueryData(techniquesOf, techniques)
        client.setQueryData<TechniqueProposals>(
          proposals,
          run =>
            run && {
              ...run,
              items: run.items.map(each => (each.tid === tid ? { ...each, decision } : each)),
            },
        )
      })
    },
    invalidates: [['campaigns', 'quotes', campaignId], USE_COUNTS, CAMPAIGNS_WITH],
    failed: error => ({ title: 'Error', description: failureText(error), status: 'error' }),
  })
}
