import { POST_AGES, type PostAge, REACHES, type Reach } from '@iodine/contracts'
import type { QueryFilter } from 'mongoose'
import type { RecordDoc } from '../models/record.js'

const HOUR_MS = 3_600_000
/** Longest ages of the classes from `hour` to `year`. */
const AGES_MS = [1, 24, 168, 720, 8_760].map(hours => hours * HOUR_MS)

/** Returns the class of a post's age when its record was stored. Times are in milliseconds. */
export const ageOf = (created: number, posted: number | undefined): PostAge => {
  if (posted === undefined) return 'unknown'
  const ms = created - posted
  const at = AGES_MS.findIndex(limit => ms <= limit)
  return at < 0 ? 'older' : (POST_AGES[at] as PostAge)
}

/** Returns a filter of the records with posts of an age. */
export const ofAge = (age: PostAge): QueryFilter<RecordDoc> => {
  if (age === 'unknown') return { 'facts.posted_at': { $exists: false } }
  const ms = { $subtract: ['$created_at', '$facts.posted_at'] }
  const at = POST_AGES.indexOf(age)
  const above = at > 0 ? [{ $gt: [ms, AGES_MS[at - 1]] }] : []
  const to = at < AGES_MS.length ? [{ $lte: [ms, AGES_MS[at]] }] : []
  return { 'facts.posted_at': { $exists: true }, $expr: { $and: [...above, ...to] } }
}

/** Returns the class of a number of plays or views: its number of digits. */
export const reachClass = (reach: number): Reach =>
  REACHES[reach === 0 ? 0 : Math.min(String(reach).length, REACHES.length - 1)] as Reach

/** Returns a filter of the records with a class of plays or views. */
export const ofReach = (reach: Reach): QueryFilter<RecordDoc> => {
  const digits = Number(reach)
  if (digits === 0) return { 'facts.reach': 0 }
  const isLast = digits === REACHES.length - 1
  return { 'facts.reach': { $gte: 10 ** (digits - 1), ...(!isLast && { $lt: 10 ** digits }) } }
}
