import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type canonInternal, LIMITS, type ResponseOf } from '@iodine/contracts'
import { notFound, Streamed } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { TripletDoc } from '../../narratives/models/narrative.js'
import type { Store } from '../../store.js'
import { type CanonDoc, isClustered } from '../models/canon.js'
import { labelRules } from './label-rules.js'

type Work = ResponseOf<typeof canonInternal.getCanonWork>

const BATCH = 100

/** Returns the pairs of labels that were joined by meaning: each label with the leader of its cluster. */
const alikeOf = async (
  { canonMembers }: Pick<Store, 'canonMembers'>,
  user_id: Types.ObjectId,
): Promise<NonNullable<Work['alike']>> => {
  const clusters = await canonMembers.distinct('cluster', { user_id, why: 'meaning' })
  const members = await canonMembers
    .find({ user_id, cluster: { $in: clusters }, why: { $in: ['leader', 'meaning'] } })
    .sort({ _id: 1 })
    .lean()
  const leaders = new Map(
    members.filter(({ why }) => why === 'leader').map(({ cluster, key }) => [cluster, key]),
  )
  return members.flatMap(({ kind, cluster, key, why }) => {
    const leader = leaders.get(cluster)
    return why === 'meaning' && leader !== undefined ? [{ kind, a: key, b: leader }] : []
  })
}

/** Yields the triplets of the newest texts, up to the limits of triplets and characters. */
async function* tripletsOf(
  { narratives }: Pick<Store, 'narratives'>,
  user_id: Types.ObjectId,
): AsyncGenerator<TripletDoc[]> {
  let [count, chars] = [0, 0]
  const texts = narratives
    .find({ user_id, state: 'done' }, { triplets: 1 })
    .sort({ created_at: -1, _id: -1 })
    .lean()
    .cursor({ batchSize: BATCH })
  for await (const { triplets } of texts) {
    for (const { subject, verb, object } of triplets) chars += subject.length + verb.length + object.length
    count += triplets.length
    if (count > LIMITS.canonTripletsMax || chars > LIMITS.canonChars) return
    yield triplets
  }
}

async function* pieces(
  store: Store,
  { _id, revision, texts, compare }: CanonDoc,
  decided: Pick<Work, 'rules' | 'alike'>,
): AsyncGenerator<string> {
  yield `${JSON.stringify({ revision, texts, compare: compare ?? false, ...decided }).slice(0, -1)},"triplets":[`
  let separator = ''
  for await (const triplets of tripletsOf(store, _id)) {
    const json = triplets.map(({ subject, verb, object }) => JSON.stringify({ subject, verb, object }))
    if (json.length > 0) yield separator + json.join(',')
    if (json.length > 0) separator = ','
    await yieldToEventLoop()
  }
  yield ']}'
}

/**
 * Returns the triplets and decisions from which a user's labels are clustered.
 * @throws HttpError 404 if the clusters are up to date
 */
export const canonWork = async (store: Store, user_id: Types.ObjectId): Promise<Streamed<Work>> => {
  const state = await store.canon.findById(user_id).lean()
  if (!state || isClustered(state)) throw notFound()
  const rules = await labelRules(store, user_id)
  const decided = {
    rules: rules.map(({ kind, a, b, relation }) => ({ kind, a, b, relation })),
    alike: await alikeOf(store, user_id),
  }
  return new Streamed<Work>(pieces(store, state, decided))
}
