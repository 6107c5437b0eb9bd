import { formOf, keyOf, nameOf } from '@iodine/canon'
import type { Types } from 'mongoose'
import type { Store } from '../../store.js'
import { type CanonSharedDoc, sharedDocId } from '../models/canon.js'
import { presentPart } from '../presenters/canonical.js'
import { type ClusterView, type NarrativeView, narrativeIdOf } from '../queries/narrative-view.js'
import { replaceDocs } from './replace-docs.js'

/** Maximum number of a user's narratives, by reach, that are compared with those of others. */
const SHARED_MAX = 2_000

/**
 * Returns the id of a narrative across users. Their clusters differ, so it is derived from the words of the displayed
 * labels: entities without determiners and plurals, the verb's lemma with its negation and modality.
 */
const sharedIdOf = ({ subject, verb, object }: NarrativeView): string => {
  const entity = ({ label }: ClusterView) => `entity:${nameOf(keyOf(label)).text || keyOf(label)}`
  const { mood, lemma } = formOf(keyOf(verb.label))
  return narrativeIdOf(entity(subject), `verb:${mood}|${lemma}`, entity(object))
}

/** Rebuilds the projection of a user's narratives that all users may see. Idempotent. */
export const shareCanon = async (store: Store, user_id: Types.ObjectId): Promise<void> => {
  const { canonShared, canonReader } = store
  const { narratives } = await canonReader.readView(user_id)
  const after = new Map<string, CanonSharedDoc>()
  for (const own of narratives) {
    if (after.size === SHARED_MAX) break
    const { subject, verb, object, sentences, sources, mentions, since, last } = own
    const narrative = sharedIdOf(own)
    // Of two narratives with the same shared id, the one with more reach.
    if (sentences === 0 || after.has(narrative)) continue
    after.set(narrative, {
      _id: sharedDocId(user_id, narrative),
      user_id,
      narrative,
      parts: { subject: presentPart(subject), verb: presentPart(verb), object: presentPart(object) },
      sentences,
      sources,
      triplets: mentions.length,
      since,
      last,
    })
  }
  const before = await canonShared.find({ user_id }).lean()
  await replaceDocs(canonShared, before, [...after.values()])
}
