import {
  type BodyOf,
  campaignsInternal,
  cutText,
  DETAILS,
  iodsInternal,
  isId,
  LIMITS,
  type NewWatch,
  type WatchedSearch,
  type watchesApi,
} from '@iodine/contracts'
import { HttpError, hashOf, inTransaction, invalid, notFound, type StoreService } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Models } from '../../models.js'
import type { SignText, WatchDoc } from '../models/watch.js'
import { gramKey, keysOfWatch, selectiveGrams, termsOf } from '../policies/watch-keys.js'

interface WatchContext {
  models: Models
  service: Pick<StoreService, 'peers' | 'users'>
  signText: SignText
}

/** Returns the title of a subject now. Throws 404 without the subject, 503 while its service is down. */
const titleOf = async (
  { service: { peers, users } }: WatchContext,
  kind: 'iod' | 'campaign' | 'person',
  id: string,
): Promise<string> => {
  const body = { ids: [id] }
  if (kind === 'iod') {
    const [iod] = await peers.call('iods', iodsInternal.getIods, { body })
    if (iod) return iod.value
  } else if (kind === 'campaign') {
    const [campaign] = await peers.call('campaigns', campaignsInternal.nameCampaigns, { body })
    if (campaign) return campaign.name
  } else {
    const card = (await users.cards([id])).get(id)
    if (card) return card.username ?? 'Unknown'
  }
  throw notFound()
}

/** Returns the ids of the creators that a search names by id or username. Throws 422 if it names none. */
const creatorsOf = async (
  { service: { users } }: WatchContext,
  { created_by }: WatchedSearch,
): Promise<string[]> => {
  if (!created_by) return []
  const ids = new Set(created_by.filter(isId).map(id => id.toLowerCase()))
  for (const { id } of await users.named(created_by.filter(each => !isId(each)))) ids.add(id)
  if (ids.size === 0) throw invalid(['search.created_by: names no user'])
  return [...ids]
}

/** Watches up to which a gram is rare. */
const COUNTED = 100

/**
 * Returns the gram of a term that the fewest watches have as a key: an event then finds few watches that do not match.
 */
const rarestGram = async ({ models: { watches } }: WatchContext, term: string): Promise<number[]> => {
  let rarest: { gram: number; count: number } | undefined
  for (const gram of selectiveGrams(term)) {
    const count = await watches.countDocuments({ keys: gramKey(gram) }, { limit: COUNTED })
    if (count < (rarest?.count ?? Number.POSITIVE_INFINITY)) rarest = { gram, count }
    if (count === 0) break
  }
  return rarest ? [rarest.gram] : []
}

/** Returns the default name of a search: its filters. */
const nameOfSearch = ({ q, category, source_type, created_by, source }: WatchedSearch): string =>
  [q && `“${q}”`, category, source_type, created_by, source].flat().filter(Boolean).join(', ')

const subjectOf = (watch: NewWatch): string =>
  'subject_id' in watch
    ? watch.subject_id.toLowerCase()
    : 'search' in watch
      ? JSON.stringify(Object.entries(watch.search).sort(([a], [b]) => (a < b ? -1 : 1)))
      : watch.text.trim()

const newDoc = async (context: WatchContext, userId: string, body: NewWatch): Promise<WatchDoc> => {
  const search = body.kind === 'search' ? body.search : null
  const creators = search ? await creatorsOf(context, search) : []
  const signature = body.kind === 'text' ? await context.signText(body.text) : undefined
  const terms = search ? termsOf(search) : []
  const grams = (await Promise.all(terms.map(term => rarestGram(context, term)))).flat()
  const keys = keysOfWatch(body, { creators, grams, signature })
  if (keys.length === 0)
    throw invalid([search ? 'search: nothing can match it' : 'text: nothing can match it'])
  const subject_id = 'subject_id' in body ? body.subject_id.toLowerCase() : null
  const title =
    'subject_id' in body
      ? await titleOf(context, body.kind, body.subject_id.toLowerCase())
      : search
        ? nameOfSearch(search)
        : subjectOf(body)
  return {
    _id: new Types.ObjectId(),
    user_id: new Types.ObjectId(userId),
    kind: body.kind,
    subject_id: subject_id === null ? null : new Types.ObjectId(subject_id),
    search,
    ...(search?.created_by && { creators: creators.map(id => new Types.ObjectId(id)) }),
    text: 'text' in body ? body.text : null,
    ...(signature && { signature }),
    name: body.name ?? cutText(title, LIMITS.watchNameMax),
    channels: body.channels,
    paused: false,
    created_at: new Date(),
    identity: hashOf(`${body.kind} ${subjectOf(body)}`),
    keys,
  }
}

/**
 * Creates a watch, or returns the user's watch of the same subject.
 * @throws HttpError 404 without the subject, 413 past the limit of a user, 422 for a search of unknown users only
 */
export const createWatch = async (
  context: WatchContext,
  userId: string,
  body: NewWatch,
): Promise<{ doc: WatchDoc; isNew: boolean }> => {
  const { mongo, watches, people } = context.models
  const doc = await newDoc(context, userId, body)
  const { user_id, identity } = doc
  return inTransaction(
    mongo,
    async session => {
      const known = await watches.findOne({ user_id, identity }).session(session).lean<WatchDoc>()
      if (known) return { doc: known, isNew: false }
      // Written by each creation: of two concurrent ones of a user, one is retried.
      await people.updateOne({ _id: user_id }, { $inc: { changes: 1 } }, { session, upsert: true })
      if ((await watches.countDocuments({ user_id }).session(session)) >= LIMITS.watchesMax)
        throw new HttpError(413, DETAILS.watchesFull)
      await watches.create([doc], { session })
      return { doc, isNew: true }
    },
    { retriesDuplicates: true },
  )
}

/** Renames, pauses or resumes a watch of a user, or changes its channels. Throws 404. */
export const updateWatch = async (
  { watches }: Models,
  user_id: string,
  _id: string,
  changes: BodyOf<typeof watchesApi.updateWatch>,
): Promise<WatchDoc> => {
  const doc = await watches
    .findOneAndUpdate({ _id, user_id }, { $set: changes }, { returnDocument: 'after' })
    .lean<WatchDoc>()
  if (!doc) throw notFound()
  return doc
}

/** Deletes a watch of a user with its notifications and pending deliveries. Throws 404. */
export const deleteWatch = async (
  { mongo, watches, notifications, deliveries }: Models,
  userId: string,
  id: string,
): Promise<void> => {
  const [_id, user_id] = [new Types.ObjectId(id), new Types.ObjectId(userId)]
  await inTransaction(mongo, async session => {
    const { deletedCount } = await watches.deleteOne({ _id, user_id }, { session })
    if (deletedCount === 0) throw notFound()
    await notifications.deleteMany({ user_id, watch_id: _id }, { session })
    await deliveries.deleteMany({ user_id, watch_id: _id }, { session })
  })
}
