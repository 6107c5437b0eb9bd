import { formOf, keyOf, nameOf } from '@iodine/canon'
import type { Types } from 'mongoose'
import type { Store } from '../../store.js'
import { type CanonSharedDoc, type SharedPart, sharedDocId } from '../models/canon.js'
import { narrativeIdOf, type SaidCluster, type SaidNarrative } from '../queries/canon-view.js'
import { replaceDocs } from './replace-docs.js'

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

/**
 * The id of a narrative among all users. Their clusters differ, so it is made of the words of the labels that each
 * user sees: entities without determiners and plurals, the verb's lemma with its negation and modality.
 */
const sharedIdOf = ({ subject, verb, object }: SaidNarrative): string => {
  const entity = ({ label }: SaidCluster) => `entity:${nameOf(keyOf(label)).text || keyOf(label)}`
  const { mood, lemma } = formOf(keyOf(verb.label))
  return narrativeIdOf(entity(subject), `verb:${mood}|${lemma}`, entity(object))
}

/** Notes what a user's narratives add to those that many say. Idempotent. */
export const shareCanon = async (store: Store, user_id: Types.ObjectId): Promise<void> => {
  const { canonShared, canonReader } = store
  const { narratives } = await canonReader.readView(user_id)
  const after = new Map<string, CanonSharedDoc>()
  for (const said of narratives) {
    if (after.size === SHARED_MAX) break
    const { subject, verb, object, sentences, sources, mentions, since, last } = said
    const narrative = sharedIdOf(said)
    // Of two that are the same to others, the one with more reach.
    if (sentences === 0 || after.has(narrative)) continue
    after.set(narrative, {
      _id: sharedDocId(user_id, narrative),
      user_id,
      narrative,
      parts: { subject: partOf(subject), verb: partOf(verb), object: partOf(object) },
      sentences,
      sources,
      triplets: mentions.length,
      since,
      last,
    })
  }
  const before = await canonShared.find({ user_id }).lean<CanonSharedDoc[]>()
  await replaceDocs(canonShared, before, [...after.values()], same)
}
