import { type collectorApi, foldText, type QueryOf, timesOf } from '@iodine/contracts'
import { countedValue } from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import type { RecordDoc } from '../models/record.js'
import { ofAge, ofReach } from '../policies/classes.js'

type Filters = Omit<QueryOf<typeof collectorApi.listRecords>, 'q' | 'import_id' | 'limit' | 'cursor'>

/** Returns the conditions of the filters that analyses link to; undefined without one. */
export const analyzedFilter = (filters: Filters): QueryFilter<RecordDoc> | undefined => {
  const {
    zone = 'UTC',
    account,
    hashtag,
    domain,
    language,
    weekday,
    hour,
    age,
    platform,
    reach,
    novelty,
  } = filters
  const created_at = timesOf(filters)
  const posted = { date: '$facts.posted_at', timezone: zone }
  const and: QueryFilter<RecordDoc>[] = [
    ...(created_at ? [{ created_at }] : []),
    ...(account ? [{ 'facts.account': foldText(account) }] : []),
    ...(hashtag ? [{ 'facts.hashtags': countedValue('hashtag', hashtag) ?? hashtag }] : []),
    ...(domain ? [{ 'facts.domains': countedValue('domain', domain) ?? domain }] : []),
    ...(language ? [{ 'facts.language': language.toLowerCase() }] : []),
    ...(platform ? [{ 'facts.platform': platform }] : []),
    ...(weekday !== undefined || hour !== undefined ? [{ 'facts.posted_at': { $exists: true } }] : []),
    ...(weekday === undefined ? [] : [{ $expr: { $eq: [{ $isoDayOfWeek: posted }, weekday + 1] } }]),
    ...(hour === undefined ? [] : [{ $expr: { $eq: [{ $hour: posted }, hour] } }]),
    ...(age ? [ofAge(age)] : []),
    ...(reach ? [ofReach(reach)] : []),
    ...(novelty ? [{ novelty: novelty === 'pending' ? { $in: [novelty, null] } : novelty }] : []),
  ]
  return and.length > 0 ? { $and: and } : undefined
}
