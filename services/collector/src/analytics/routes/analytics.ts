import { recordAnalyticsApi } from '@iodine/contracts'
import type { StoreService } from '@iodine/service-kit'
import type { CollectorStore } from '../../store.js'
import { analyzeRecords, startsOf } from '../queries/analyze-records.js'
import { createFactsReader, recordsIn } from '../queries/read-facts.js'

const boundsOf = (starts: readonly number[]): [number, number] => [
  starts[0] as number,
  starts.at(-1) as number,
]

export const addAnalyticsRoutes = (service: StoreService, store: CollectorStore): void => {
  const read = createFactsReader(store)
  service.route(recordAnalyticsApi.analyzeRecords, async ({ query, user }) => {
    const { starts, before } = startsOf(query)
    const all = [...(await read(user.id))]
    return analyzeRecords(
      query,
      recordsIn(all, query.source, boundsOf(starts)),
      before && recordsIn(all, query.source, boundsOf(before)),
    )
  })
}
