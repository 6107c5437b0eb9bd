import type { Types } from 'mongoose'
import { type CanonSharedDoc, type SharedPart, sharedId } from '../models/canon.js'
import type { SaidCluster } from '../queries/canon-view.js'
import type { Store } from '../store.js'
import { replaceDocs } from './apply-canon.js'

/** Narratives of a user that are compared with those of others: the ones with the most reach. */
const SHARED_MAX = 2_000

const partOf = ({ id, label, labels }: SaidCluster): SharedPart => ({
  cluster: id,
  label,
  members: labels.length,
})

const samePart = (a: SharedPart, b: SharedPart) =>
  a.cluster === b.cluster && a.label === b.label && a.members === b.members
const same = (a: CanonSharedDoc, b: CanonSharedDoc): boolean =>
  (['subject', 'verb', 'object'] as const).every(part => samePart(a.parts[part], b.parts[part])) &&
  a.sentences === b.sentences &&
  a.sources === b.sources &&
  a.triplets === b.triplets &&
  a.since.getTime() === b.since.getTime() &&
  a.last.getTime() === b.last.getTime()

/** Notes what a user's narratives add to those that many say. Idempotent. */
export const shareCanon = async (store: Store, user_id: Types.ObjectId): Promise<void> => {
  const { canonShared, canonReader } = store
  const { narratives } = await canonReader.readView(user_id)
  const after = narratives
    .filter(({ sentences }) => sentences > 0)
    .slice(0, SHARED_MAX)
    .map(({ id, subject, verb, object, sentences, sources, mentions, since, last }) => ({
      _id: sharedId(user_id, id),
      user_id,
      narrative: id,
      parts: { subject: partOf(subject), verb: partOf(verb), object: partOf(object) },
      sentences,
      sources,
      triplets: mentions.length,
      since,
      last,
    }))
  await replaceDocs(canonShared, await canonShared.find({ user_id }).lean<CanonSharedDoc[]>(), after, same)
}
