import {
  type CampaignAnalysis,
  campaignAnalyticsApi,
  iodsInternal,
  periodBefore,
  type QueryOf,
  timesOf,
} from '@iodine/contracts'
import { createKeyedLimiter, type StoreService } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import { countTechniques } from '../queries/count-techniques.js'
import { type Compared, largestCampaigns } from '../queries/largest.js'

/** Timeout of a comparison: the iods service reads up to `LIMITS.analyzedMembersMax` IODs. */
const COMPARE_MS = 15_000

type Query = QueryOf<typeof campaignAnalyticsApi.analyzeCampaigns>

export const addAnalyticsRoutes = (service: StoreService, { campaigns }: Store): void => {
  const analyses = createKeyedLimiter()

  const compare = async (
    query: Query,
    compared: readonly Compared[],
  ): Promise<Pick<CampaignAnalysis, 'campaigns' | 'overlaps'>> => {
    const { $gte, $lt } = timesOf(query) ?? {}
    const { groups, pairs } = await service.peers.call('iods', iodsInternal.compareIods, {
      body: {
        from: $gte?.toISOString() ?? '',
        until: $lt?.toISOString() ?? '',
        groups: compared.map(({ iod_ids = [] }) => iod_ids.map(id => id.toHexString())),
      },
      ms: COMPARE_MS,
    })
    const ids = compared.map(({ _id }) => _id.toHexString())
    return {
      campaigns: compared.map(({ name }, n) => ({
        id: ids[n] as string,
        name,
        ...(groups[n] ?? { iods: 0, first: null, last: null }),
      })),
      overlaps: pairs.map(({ a, b, ...common }) => ({
        campaigns: [ids[a] as string, ids[b] as string],
        ...common,
      })),
    }
  }

  service.route(campaignAnalyticsApi.analyzeCampaigns, ({ query, user }) =>
    analyses(user.id, async () => {
      const { total, campaigns: compared } = await largestCampaigns(campaigns, user.id, query)
      const creator = query.mine ? user.id : undefined
      const [compares, now, before] = await Promise.all([
        compare(query, compared),
        countTechniques(campaigns, query, creator),
        query.compare
          ? countTechniques(campaigns, { ...periodBefore(query), zone: query.zone }, creator)
          : null,
      ])
      const techniques = [...now].map(([technique, n]) => ({
        technique,
        campaigns: n,
        previous: before && (before.get(technique) ?? 0),
      }))
      return { total, ...compares, techniques }
    }),
  )
}
