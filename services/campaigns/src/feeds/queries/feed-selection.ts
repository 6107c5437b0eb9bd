import { LIMITS, type QueryOf, type taxiiFeeds, timestamp } from '@iodine/contracts'
import { readTaxiiTime } from '@iodine/exchange'
import { badRequest } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { PublishedDoc } from '../models/publication.js'

/** Position at which a page ends. */
export interface Place {
  added: Date
  _id: Types.ObjectId
}

/** Query of objects of a collection. */
export interface Selection {
  limit: number
  after: Date | undefined
  place: Place | undefined
  /** Conditions on rows. */
  match: Record<string, unknown>
  /** Whether versions other than the latest are requested. */
  versions: boolean
}

type Query = QueryOf<typeof taxiiFeeds.getObjects>

const valuesOf = (text: string | undefined): string[] | undefined =>
  text === undefined
    ? undefined
    : text
        .split(',')
        .map(each => each.trim())
        .filter(Boolean)

export const cursorOf = ({ added, _id }: Place): string =>
  Buffer.from(`${added.getTime()}.${_id.toHexString()}`).toString('base64url')

const placeOf = (next: string): Place => {
  const match = /^(\d{1,15})\.([0-9a-f]{24})$/.exec(Buffer.from(next, 'base64url').toString('latin1'))
  if (!match) throw badRequest(['next: is malformed'])
  return { added: new Date(Number(match[1])), _id: new Types.ObjectId(match[2]) }
}

const limitOf = (given: string | undefined): number => {
  if (given === undefined) return LIMITS.feedPageMax
  if (!/^\d{1,15}$/.test(given) || Number(given) < 1) throw badRequest(['limit: must be a positive number'])
  // TAXII 2.1, 3.4: a server may return fewer.
  return Math.min(Number(given), LIMITS.feedPageMax)
}

/** Returns the condition of versions by name or time (TAXII 2.1, 3.4.1); undefined for the latest only. */
const versionsOf = (given: string[] | undefined): Record<string, unknown> | undefined => {
  if (!given || given.length === 0 || (given.length === 1 && given[0] === 'last')) return undefined
  if (given.includes('all')) return {}
  const times = given.filter(each => each !== 'last' && each !== 'first')
  const bad = times.find(each => !timestamp.safeParse(each).success)
  if (bad !== undefined) throw badRequest(['match[version]: must be last, first, all or times'])
  return {
    $or: [
      ...(given.includes('last') ? [{ last: true }] : []),
      ...(given.includes('first') ? [{ first: true }] : []),
      ...(times.length > 0
        ? [
            { version: { $in: times } },
            // The time of publication identifies an object without a version.
            { version: '', added: { $in: times.map(each => new Date(Date.parse(each))) } },
          ]
        : []),
    ],
  }
}

/** Reads the parameters of a request. Throws 400. */
export const readSelection = (query: Query, only: { stix_id?: string } = {}): Selection => {
  // A plus sign that a client has not encoded is a space here.
  const added_after = readTaxiiTime(query.added_after?.replace(/ (?=\d\d:?\d\d$)/, '+'))
  if (query.added_after !== undefined && added_after === undefined)
    throw badRequest(['added_after: must be a time (RFC 3339)'])
  const ids = valuesOf(query['match[id]'])
  const types = valuesOf(query['match[type]'])
  const specs = valuesOf(query['match[spec_version]'])
  const versions = versionsOf(valuesOf(query['match[version]']))
  return {
    limit: limitOf(query.limit),
    // Finer times are cut to milliseconds: objects published within that millisecond are not after it.
    after: added_after === undefined ? undefined : new Date(Math.floor(Date.parse(added_after))),
    place: query.next === undefined ? undefined : placeOf(query.next),
    match: {
      ...(ids && { stix_id: { $in: ids } }),
      ...only,
      ...(types && { type: { $in: types } }),
      ...(specs && { spec: { $in: specs } }),
      ...versions,
    },
    versions: versions !== undefined,
  }
}

/** Returns the condition of rows after a position in the order of publication. */
export const afterSelection = ({ after, place }: Selection): Record<string, unknown> => {
  if (!place) return after ? { added: { $gt: after } } : {}
  // A client that continues sends both, and the later one counts.
  if (after && after >= place.added) return { added: { $gt: after } }
  return {
    added: { $gte: place.added },
    $nor: [{ added: place.added, _id: { $lte: place._id } }],
  }
}

export type FeedRow = Pick<PublishedDoc, '_id' | 'stix_id' | 'version' | 'spec' | 'bytes' | 'added' | 'raw'>
