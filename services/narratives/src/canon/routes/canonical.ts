import { type CanonicalNarrative, canonicalApi, foldLabel, foldWords, timesOf } from '@iodine/contracts'
import { createKeyedLimiter, invalid, type ReplyHeaders } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { graphOwner, textsOwner } from '../../graph/policies/graph-owner.js'
import type { Store } from '../../store.js'
import { changedByMerge } from '../commands/merge-narratives.js'
import { presentCanonical, presentDetail, presentSentence } from '../presenters/canonical.js'
import { cursorOf, sentencesAfter, sentencesOf } from '../queries/canon-sentences.js'
import { narrativeIn } from '../queries/canon-view.js'
import { type NarrativeView, reachOf } from '../queries/narrative-view.js'
import { createSharedReader } from '../queries/shared-canon.js'
import { readSourceDates, type SourceDates } from '../queries/source-dates.js'

/** Default page sizes. */
const NARRATIVES_PAGE = 100
const SENTENCES_PAGE = 20

const CURSOR = /^(\d{1,12})\.(\d{1,9})\.([0-9a-f]{24})$/

/** Position of a narrative in a list: both numbers in descending order, then the id. */
type SortKeys = readonly [number, number, string]

const ownKeysOf = (narrative: NarrativeView): SortKeys => [
  reachOf(narrative),
  narrative.mentions.length,
  narrative.id,
]
const sharedKeysOf = ({ owners, sentences, id }: CanonicalNarrative): SortKeys => [owners ?? 0, sentences, id]

/** Returns the narratives after a cursor, whose narrative may have moved or left. @throws HttpError 422 if malformed */
const after = <T>(all: T[], cursor: string | undefined, keysOf: (narrative: T) => SortKeys): T[] => {
  if (cursor === undefined) return all
  const [, first, second, id = ''] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (first === undefined) throw invalid(['cursor: is malformed'])
  return all.filter(narrative => {
    const keys = keysOf(narrative)
    const by = Number(first) - keys[0] || Number(second) - keys[1]
    return by > 0 || (by === 0 && keys[2] > id)
  })
}

/** Returns a page of a list in memory, and sets the headers of total and next cursor. */
const cut = <T>(
  reply: ReplyHeaders,
  { all, rest, limit, cursorOf }: { all: number; rest: T[]; limit: number; cursorOf: (last: T) => string },
): T[] => {
  const shown = rest.slice(0, limit)
  const last = shown.at(-1)
  reply.header('x-total-count', String(all))
  if (last && rest.length > shown.length) reply.header('x-next-cursor', cursorOf(last))
  return shown
}

/** Returns the page of a list that follows a cursor of sort keys, and sets the headers. */
const cutByKeys = <T>(
  reply: ReplyHeaders,
  all: T[],
  cursor: string | undefined,
  limit: number,
  keysOf: (narrative: T) => SortKeys,
): T[] => {
  const cursorOf = (last: T) => Buffer.from(keysOf(last).join('.')).toString('base64url')
  return cut(reply, { all: all.length, rest: after(all, cursor, keysOf), limit, cursorOf })
}

/** Adds the routes that read canonical narratives. */
export const addCanonicalRoutes = (store: Store): void => {
  const { service, narratives, canonReader } = store
  const readShared = createSharedReader(store)
  /** Building a large view is expensive: one view of another user at a time per caller. Own views share builds. */
  const limiter = createKeyedLimiter()
  const viewOf = (callerId: string, owner: string) => {
    const read = () => canonReader.readView(new Types.ObjectId(owner))
    return owner === callerId ? read() : limiter(callerId, read)
  }

  /** Posting times come from the owner's private records. For other callers, narratives show times of analysis. */
  const datesOf = async (callerId: string, owner: string, shown: NarrativeView[]): Promise<SourceDates> =>
    owner === callerId ? readSourceDates(service.peers, owner, shown) : new Map()

  service.route(canonicalApi.listCanonical, async ({ user, query, reply }) => {
    const { q = '', scope, user_id, cursor, limit = NARRATIVES_PAGE } = query
    const term = foldLabel(q)
    if (scope === 'all') {
      const all = (await readShared()).filter(
        ({ subject, verb, object }) =>
          term === '' || [subject, verb, object].some(({ label }) => foldWords(label).includes(term)),
      )
      return cutByKeys(reply, all, cursor, limit, sharedKeysOf)
    }
    const owner = await graphOwner(store, user.id, user_id)
    const view = await viewOf(user.id, owner)
    const all =
      term === ''
        ? view.narratives
        : view.narratives.filter(({ subject, verb, object }) =>
            [subject, verb, object].some(({ keys }) => keys.includes(term)),
          )
    const shown = cutByKeys(reply, all, cursor, limit, ownKeysOf)
    const dates = await datesOf(user.id, owner, shown)
    return shown.map(narrative => presentCanonical(narrative, dates))
  })

  const find = async (callerId: string, owner: string, id: string) =>
    narrativeIn(await viewOf(callerId, owner), id)

  service.route(canonicalApi.getCanonical, async ({ user, params, query }) => {
    const owner = await graphOwner(store, user.id, query.user_id)
    const narrative = await find(user.id, owner, params.id)
    return presentDetail(narrative, await datesOf(user.id, owner, [narrative]))
  })

  service.route(canonicalApi.listCanonicalSentences, async ({ user, params, query, reply }) => {
    const { source, cursor, limit = SENTENCES_PAGE } = query
    const narrative = await find(user.id, textsOwner(user.id, query.user_id), params.id)
    const all = sentencesOf(narrative, source === '' ? null : source, timesOf(query))
    const rest = sentencesAfter(all, cursor)
    const shown = cut(reply, { all: all.length, rest, limit, cursorOf })
    const texts = await narratives
      .find({ _id: { $in: shown.map(({ text }) => text._id) }, user_id: user.id, state: 'done' }, { text: 1 })
      .lean()
    const dates = await datesOf(user.id, user.id, [narrative])
    const words = new Map(texts.map(({ _id, text }) => [_id.toHexString(), text]))
    return shown.flatMap(sentence => {
      const text = words.get(sentence.text._id.toHexString())
      return text === undefined ? [] : presentSentence(sentence, text, dates)
    })
  })

  service.route(canonicalApi.previewMerge, async ({ user, params, query, reply }) => {
    const { with: other, cursor, limit = NARRATIVES_PAGE } = query
    const changed = changedByMerge(await viewOf(user.id, user.id), params.id, other)
    const shown = cutByKeys(reply, changed, cursor, limit, ownKeysOf)
    const dates = await datesOf(user.id, user.id, shown)
    return shown.map(narrative => presentCanonical(narrative, dates))
  })
}
