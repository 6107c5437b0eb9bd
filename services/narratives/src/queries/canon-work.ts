import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type canonInternal, LIMITS, type ResponseOf } from '@iodine/contracts'
import { notFound, Streamed } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import { citeNarratives } from '../commands/cite-narratives.js'
import type { CanonDoc, CanonRuleDoc } from '../models/canon.js'
import type { NarrativeDoc, TripletDoc } from '../models/narrative.js'
import type { Store } from '../store.js'

type Work = ResponseOf<typeof canonInternal.getCanonWork>

const BATCH = 100

/** Whether the clusters were made of the present texts and decisions. */
export const isClustered = ({ revision, texts, clustered }: CanonDoc): boolean =>
  clustered?.revision === revision && clustered.texts === texts

/** The triplets of the newest texts, in batches: so many, and of so many characters, as are compared. */
async function* tripletsOf(
  { narratives }: Pick<Store, 'narratives'>,
  user_id: Types.ObjectId,
): AsyncGenerator<TripletDoc[]> {
  let [count, chars] = [0, 0]
  const texts = narratives
    .find({ user_id, state: 'done' }, { triplets: 1 })
    .sort({ created_at: -1, _id: -1 })
    .lean<Pick<NarrativeDoc, 'triplets'>[]>()
    .cursor({ batchSize: BATCH })
  for await (const { triplets } of texts) {
    for (const { subject, verb, object } of triplets) chars += subject.length + verb.length + object.length
    count += triplets.length
    if (count > LIMITS.canonTripletsMax || chars > LIMITS.canonChars) return
    yield triplets
  }
}

async function* pieces(store: Store, state: CanonDoc, rules: Work['rules']): AsyncGenerator<string> {
  const { revision, texts } = state
  yield `${JSON.stringify({ revision, texts, rules }).slice(0, -1)},"triplets":[`
  let separator = ''
  for await (const triplets of tripletsOf(store, state._id)) {
    const said = triplets.map(({ subject, verb, object }) => JSON.stringify({ subject, verb, object }))
    if (said.length > 0) yield separator + said.join(',')
    if (said.length > 0) separator = ','
    await yieldToEventLoop()
  }
  yield ']}'
}

/**
 * What is compared to cluster a user's labels. Texts of a version before, which lack citations, get them first:
 * canonical narratives rest on sentences. Throws 404 if the clusters are up to date.
 */
export const canonWork = async (store: Store, user_id: Types.ObjectId): Promise<Streamed<Work>> => {
  const { canon, canonRules } = store
  const read = () => canon.findById(user_id).lean<CanonDoc>()
  let state = await read()
  if (!state || isClustered(state)) throw notFound()
  if (!state.clustered) {
    await citeNarratives(store, { user_id })
    await canon.updateOne({ _id: user_id }, { $inc: { version: 1 } })
    state = await read()
    if (!state) throw notFound()
  }
  const rules = await canonRules.find({ user_id }).sort({ _id: 1 }).lean<CanonRuleDoc[]>()
  const decided = rules.map(({ kind, a, b, relation }) => ({ kind, a, b, relation }))
  return new Streamed<Work>(pieces(store, state, decided))
}
