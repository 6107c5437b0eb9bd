import {
  type BodyOf,
  type Bucket,
  iodsInternal,
  type SightingCounts,
  type sightingsApi,
} from '@iodine/contracts'
import { HttpError, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Context } from '../../context.js'
import { COUNT_OWNERS_MAX, type CountKind, countKey } from '../models/count.js'
import { valueQuestion } from './question.js'

const OTHERS_MIN = 3

/** Returns the bucket of a number of other users; undefined for fewer than three. */
export const bucketOf = (others: number): Bucket | undefined => {
  if (others < OTHERS_MIN) return undefined
  if (others <= 5) return '3–5'
  if (others <= 10) return '6–10'
  return others <= 20 ? '11–20' : '21+'
}

/**
 * Returns the names of a record's or an IOD's post, text and link in the snapshot.
 * @throws HttpError 404 for an unknown IOD, or an unknown or another user's record
 */
const namesOf = async (
  { models, secrets, peers }: Context,
  owner: Types.ObjectId,
  { record_id, iod_id }: BodyOf<typeof sightingsApi.countSightings>,
): Promise<[CountKind, string | null | undefined][]> => {
  if (record_id !== undefined) {
    const doc = await models.sightings.findOne({ _id: new Types.ObjectId(record_id), owner }).lean()
    if (!doc) throw notFound()
    return [
      ['post', doc.post_key],
      ['text', doc.exact],
      ['link', doc.self],
    ]
  }
  const [iod] = await peers.call('iods', iodsInternal.getIods, { body: { ids: [iod_id ?? ''] } })
  if (!iod) throw notFound()
  const { signature, links } = valueQuestion((await secrets()).sign, iod.value)
  return [
    ['text', signature?.exact],
    ['link', links[0]],
  ]
}

/**
 * Returns how many other users collected the same content as of the day's snapshot: in buckets from three on, with the
 * month of the earliest.
 * @throws HttpError 403 unless the user agreed to be counted, 404 as `namesOf`
 */
export const countOthers = async (
  counting: Context,
  userId: string,
  body: BodyOf<typeof sightingsApi.countSightings>,
): Promise<SightingCounts> => {
  const { models } = counting
  const owner = new Types.ObjectId(userId)
  if (!(await models.counting.exists({ _id: owner })))
    throw new HttpError(403, 'Agree to be counted first: only counted users can see counts')
  const names = await namesOf(counting, owner, body)
  const snapshot = await models.snapshots.findById('counts').lean()
  if (!snapshot?.run) return { day: null, counts: [] }
  const { run, day } = snapshot
  const counts = await Promise.all(
    names.map(async ([of, name]): Promise<SightingCounts['counts']> => {
      if (!name) return []
      const row = await models.counts.findOne({ run, key: countKey(of, name) }).lean()
      if (!row) return []
      const isOne = row.n <= COUNT_OWNERS_MAX && row.owners.some(each => each.equals(owner))
      const others = bucketOf(row.n - Number(isOne))
      return others ? [{ of, others, first_month: row.first_month }] : []
    }),
  )
  return { day, counts: counts.flat() }
}
