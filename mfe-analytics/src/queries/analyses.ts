import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, useQuery } from '@iodine/mfe-kit/query'
import { type Controls, campaignQuery, iodQuery, periodQuery } from '../model/controls'

const ANALYTICS = 'analytics'

/** Analyzes the IODs created in the period. */
export function useIodAnalysis(controls: Controls) {
  const { api } = useHost()
  const query = iodQuery(controls)
  return useQuery({
    queryKey: [ANALYTICS, 'iods', query],
    queryFn: ({ signal }) => api.call('GET /analytics/iods', { query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** Analyzes the domains, hashtags and accounts of the IODs created in the period. */
export function useValueAnalysis(controls: Controls) {
  const { api } = useHost()
  const query = iodQuery(controls)
  return useQuery({
    queryKey: [ANALYTICS, 'values', query],
    queryFn: ({ signal }) => api.call('GET /analytics/values', { query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** Analyzes the votes on the IODs created in the period. */
export function useVoteAnalysis(controls: Controls) {
  const { api } = useHost()
  const query = iodQuery(controls)
  return useQuery({
    queryKey: [ANALYTICS, 'votes', query],
    queryFn: ({ signal }) => api.call('GET /analytics/votes', { query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** Analyzes the user's records collected in the period. */
export function useRecordAnalysis(controls: Controls) {
  const { api } = useHost()
  const query = { ...periodQuery(controls), source: [...controls.sources] }
  return useQuery({
    queryKey: [ANALYTICS, 'records', query],
    queryFn: ({ signal }) => api.call('GET /analytics/records', { query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** Analyzes the largest campaigns, or the chosen one. */
export function useCampaignAnalysis(controls: Controls) {
  const { api } = useHost()
  const query = campaignQuery(controls)
  return useQuery({
    queryKey: [ANALYTICS, 'campaigns', query],
    queryFn: ({ signal }) => api.call('GET /analytics/campaigns', { query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** Analyzes the canonical narratives of the user's texts. */
export function useNarrativeAnalysis(controls: Controls) {
  const { api } = useHost()
  const query = periodQuery(controls)
  return useQuery({
    queryKey: [ANALYTICS, 'narratives', query],
    queryFn: ({ signal }) => api.call('GET /analytics/narratives', { query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** Reads the campaigns to choose from. */
export function useCampaignNames() {
  const { api } = useHost()
  return useQuery({
    queryKey: [ANALYTICS, 'names'],
    queryFn: ({ signal }) => api.call('GET /campaigns', { signal }),
  }).data
}
