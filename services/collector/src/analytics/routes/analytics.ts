import { recordAnalyticsApi } from '@iodine/contracts'
import { createKeyedLimiter, type StoreService } from '@iodine/service-kit'
import type { CollectorStore } from '../../store.js'
import { analyzeRecords, startsOf } from '../queries/analyze-records.js'
import { readFacts } from '../queries/read-facts.js'

const boundsOf = (starts: readonly number[]): [number, number] => [
  starts[0] as number,
  starts.at(-1) as number,
]

export const addAnalyticsRoutes = (service: StoreService, { records }: CollectorStore): void => {
  /** An analysis reads all of a user's records of the period: one at a time for each user. */
  const analyses = createKeyedLimiter()
  service.route(recordAnalyticsApi.analyzeRecords, ({ query, user }) =>
    analyses(user.id, async () => {
      const { starts, before } = startsOf(query)
      const found = await readFacts(records, user.id, query.source, boundsOf(starts))
      const earlier = before && (await readFacts(records, user.id, query.source, boundsOf(before)))
      return analyzeRecords(query, found, earlier)
    }),
  )
}
