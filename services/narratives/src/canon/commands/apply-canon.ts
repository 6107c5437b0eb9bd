import { clusterIdOf } from '@iodine/canon'
import type { BodyOf, CanonKind, canonInternal } from '@iodine/contracts'
import { compareText } from '@iodine/contracts'
import { inTransaction } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { Store } from '../../store.js'
import { type CanonMemberDoc, memberId } from '../models/canon.js'
import { replaceDocs } from './replace-docs.js'
import { shareCanon } from './share-canon.js'

type Result = BodyOf<typeof canonInternal.applyCanon>
type Cluster = Result['entities'][number]

/** Returns the member documents of clusters. Clusters of one label have none. */
export const memberDocs = (
  user_id: Types.ObjectId,
  kind: CanonKind,
  clusters: readonly Cluster[],
): CanonMemberDoc[] =>
  clusters.flatMap(members => {
    const [smallest = ''] = members.map(({ key }) => key).sort(compareText)
    const cluster = clusterIdOf(kind, smallest)
    return members.map(({ key, why, turned }) => ({
      _id: memberId(user_id, kind, key),
      user_id,
      kind,
      key,
      cluster,
      why,
      ...(turned && { turned: true as const }),
    }))
  })

/**
 * Stores clusters, unless they are based on earlier decisions or fewer texts than the stored ones. Resolves to whether
 * they were stored.
 */
export const applyCanon = async (
  store: Store,
  user_id: Types.ObjectId,
  { revision, texts, method, compared, entities, verbs }: Result,
): Promise<boolean> => {
  const { mongo, canon, canonMembers } = store
  const after = [...memberDocs(user_id, 'entity', entities), ...memberDocs(user_id, 'verb', verbs)]
  const applied = await inTransaction(mongo, async session => {
    const state = await canon
      .findOneAndUpdate(
        {
          _id: user_id,
          revision,
          $or: [{ 'clustered.revision': { $ne: revision } }, { 'clustered.texts': { $lte: texts } }],
        },
        {
          $set: {
            clustered: { revision, texts },
            method,
            ...(compared?.failure && { failure: compared.failure }),
          },
          ...(compared && { $unset: { compare: 1, ...(!compared.failure && { failure: 1 }) } }),
        },
        { session },
      )
      .lean()
    if (!state) return false
    const before = await canonMembers.find({ user_id }, null, { session }).lean()
    const changes = await replaceDocs(canonMembers, before, after, session)
    if (changes > 0) await canon.updateOne({ _id: user_id }, { $inc: { version: 1 } }, { session })
    return true
  })
  if (applied) await shareCanon(store, user_id)
  return applied
}
