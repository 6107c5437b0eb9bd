import { type Campaign, LIMITS } from '@iodine/contracts'
import {
  type ApiClient,
  errorDetail,
  errorToast,
  isUnauthorized,
  paths,
  useAction,
  useHost,
} from '@iodine/mfe-kit'
import { keepPreviousData, usePagedQuery } from '@iodine/mfe-kit/query'
import { formatAmount, formatCount, truncate } from '@iodine/ui'

/** Maximum number of campaigns in a search result. */
const SHOWN_MAX = 50
const CAMPAIGNS = ['campaigns', 'found']
/** Query key prefix of the campaigns of IODs. */
export const CAMPAIGNS_OF = ['iod-campaigns']
const NAME_CHARS = 60

/** Reads the newest campaigns whose name contains a text, and the total number of matches. */
export function useCampaignSearch(text: string) {
  const { api } = useHost()
  const q = text.trim().slice(0, LIMITS.searchMax)
  return usePagedQuery({
    queryKey: [...CAMPAIGNS, q],
    readPage: (page, signal) =>
      api.page('GET /campaigns', { query: { ...(q && { q }), limit: SHOWN_MAX, ...page }, signal }),
    placeholderData: keepPreviousData,
  })
}

interface Addition {
  campaign: Pick<Campaign, 'id' | 'name'>
  ids: readonly string[]
  /** Receives the number of processed IODs. */
  onStep: (done: number) => void
}

interface Sum {
  added: number
  /** Number of IODs that the campaign already contained. */
  already: number
  /** Number of IODs that no longer exist. */
  unknown: number
}

/** Reports a failed batch. Later batches were not sent; earlier ones remain added. */
class PartialAdditionError extends Error {
  readonly sum: Sum

  constructor(sum: Sum, cause: unknown) {
    super('', { cause })
    this.sum = sum
  }
}

/**
 * Adds IODs to a campaign in batches of 500.
 * @throws PartialAdditionError if a batch after the first fails
 */
async function addInBatches(api: ApiClient, { campaign, ids, onStep }: Addition): Promise<Sum> {
  const sum: Sum = { added: 0, already: 0, unknown: 0 }
  const params = { id: campaign.id }
  for (let from = 0; from < ids.length; from += LIMITS.addedIodsMax) {
    const iod_ids = ids.slice(from, from + LIMITS.addedIodsMax)
    try {
      const answer = await api.call('POST /campaigns/:id/add-iods', { params, body: { iod_ids } })
      sum.added += answer.added.length
      sum.already += answer.already.length
      sum.unknown += answer.unknown.length
    } catch (error) {
      throw sum.added + sum.already > 0 && !isUnauthorized(error)
        ? new PartialAdditionError(sum, error)
        : error
    }
    onStep(from + iod_ids.length)
  }
  return sum
}

const sentences = (name: string, { already, unknown }: Sum): string =>
  [
    `“${truncate(name, NAME_CHARS)}”.`,
    already > 0 && `${formatAmount(already, 'IOD was', 'IODs were')} already in the campaign.`,
    unknown > 0 && `${formatAmount(unknown, 'IOD no longer exists', 'IODs no longer exist')}.`,
  ]
    .filter(Boolean)
    .join(' ')

/** Creates a campaign and passes it to `onCreated`. */
export function useCreateCampaign(onCreated: (campaign: Campaign) => void) {
  const { api } = useHost()
  return useAction({
    mutationFn: (body: { name: string; description: string }) => api.call('POST /campaigns', { body }),
    onSuccess: onCreated,
    failed: 'Failed to create campaign',
    invalidates: [CAMPAIGNS],
  })
}

/** Adds IODs to a campaign. The action may be retried after a failure. */
export function useAddToCampaign() {
  const { api, navigate } = useHost()
  return useAction({
    mutationFn: (addition: Addition) => addInBatches(api, addition),
    done: (sum, { campaign: { id, name } }) => ({
      title: `Added ${formatCount(sum.added)} IOD(s) to the campaign`,
      description: sentences(name, sum),
      status: sum.unknown > 0 ? 'warning' : sum.added > 0 ? 'success' : 'info',
      action: { text: 'View', onClick: () => navigate(paths.campaign(id)) },
    }),
    failed: (error, { campaign: { name }, ids }) => {
      if (!(error instanceof PartialAdditionError)) return errorToast(error, 'Failed to add IODs')
      const { sum, cause } = error
      const inIt = formatCount(sum.added + sum.already)
      const description = `${inIt} of ${formatAmount(ids.length, 'IOD')} are now in “${truncate(name, NAME_CHARS)}”. The others were not added: ${errorDetail(cause, 'try again.')}`
      return errorToast(cause, '', { description })
    },
    invalidates: [CAMPAIGNS, CAMPAIGNS_OF],
  })
}
