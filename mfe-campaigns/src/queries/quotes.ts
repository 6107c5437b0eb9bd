import type { TechniqueQuote } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { CAMPAIGNS_WITH, techniquesKey, USE_COUNTS } from './techniques'
import { failureFields, successToast } from './toasts'

const quotesKey = (campaignId: string, tid: string) => ['campaigns', 'quotes', campaignId, tid]

/** Reads the quotes that a technique of a campaign rests on, oldest first. */
export function useQuotes(campaignId: string, tid: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: quotesKey(campaignId, tid),
    queryFn: ({ signal }) =>
      api.call('GET /campaigns/:id/techniques/:tid/quotes', { params: { id: campaignId, tid }, signal }),
  })
}

/** Deletes a quote of a technique of a campaign. */
export function useDeleteQuote(campaignId: string) {
  const { api } = useHost()
  return useAction({
    mutationFn: ({ tid, id }: Pick<TechniqueQuote, 'tid' | 'id'>) =>
      api.call('DELETE /campaigns/:id/techniques/:tid/quotes/:qid', {
        params: { id: campaignId, tid, qid: id },
      }),
    invalidates: [['campaigns', 'quotes', campaignId], techniquesKey(campaignId), USE_COUNTS],
    done: successToast('Quote deleted'),
    failed: failureFields('Failed to delete the quote'),
  })
}

/** Number of campaigns that a technique's drawer lists. */
const LISTED_CAMPAIGNS = 50

/** Reads the newest campaigns that use a technique. */
export function useCampaignsWith(tid: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: [...CAMPAIGNS_WITH, tid],
    queryFn: ({ signal }) =>
      api.page('GET /campaigns', { query: { technique: tid, limit: LISTED_CAMPAIGNS }, signal }),
  })
}

/** Reads the techniques that campaigns use, with numbers of campaigns, IODs and quotes. */
export function useTechniqueCounts() {
  const { api } = useHost()
  return useQuery({
    queryKey: USE_COUNTS,
    queryFn: ({ signal }) => api.call('GET /campaigns/techniques', { signal }),
  })
}

/** Reads Iodine's line about a technique, from a file that is loaded on demand; null for an obsolete one. */
export const useGloss = (tid: string) =>
  useQuery({
    queryKey: ['gloss', tid],
    queryFn: async () => (await import('@iodine/exchange/glosses')).glossOf(tid) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  })
