import { type IodStatement, tlpOfRank } from '@iodine/contracts'
import { Types } from 'mongoose'
import type { IodDoc } from '../../iods/models/iod.js'
import type { IodStore } from '../../store.js'
import { confidenceOf } from '../presenters/consensus.js'
import { findConsensus } from '../queries/find-consensus.js'

type Stated = Pick<IodDoc, '_id' | 'created_at' | 'uid' | 'stated' | 'tlp'>

/**
 * Returns the statements of IODs in STIX and MISP files, by id; unknown ids are omitted. Votes on other IODs also
 * change a confidence, so it is stored with the time of its first statement: files stay equal until it changes. Without
 * a consensus the last stated confidence remains.
 */
export const stateIods = async (
  models: Pick<IodStore, 'iods' | 'covotes' | 'covoteBuilds' | 'comments'>,
  ids: readonly string[],
): Promise<Record<string, IodStatement>> => {
  const { iods } = models
  const filter = { _id: { $in: ids.map(id => new Types.ObjectId(id)) } }
  const read = () => iods.find(filter, { created_at: 1, uid: 1, stated: 1, tlp: 1 }).lean<Stated[]>()
  const [consensus, before] = await Promise.all([findConsensus(models, ids), read()])
  const changes = before.flatMap(({ _id, stated }) => {
    const weighed = consensus[_id.toHexString()]
    const confidence = weighed ? confidenceOf(weighed) : stated?.confidence
    if (confidence === undefined || confidence === (stated?.confidence ?? null)) return []
    // Not before the creation time, which is of the service's clock.
    const at = { $max: ['$$NOW', '$created_at', { $add: ['$stated.at', 1] }] }
    // Of two concurrent exports one stores the new confidence.
    const unchanged = { _id, 'stated.at': stated?.at ?? null }
    return [{ updateOne: { filter: unchanged, update: [{ $set: { stated: { confidence, at } } }] } }]
  })
  // The driver writes: Mongoose would cast each operation.
  if (changes.length > 0) await iods.collection.bulkWrite(changes as never, { ordered: false })
  const docs = changes.length > 0 ? await read() : before
  const edits = await models.comments.edits(before.map(({ _id }) => _id))
  return Object.fromEntries(
    docs.map(({ _id, created_at, uid, stated, tlp }) => {
      const edited = edits.get(_id.toHexString())
      const statement = {
        uid,
        confidence: stated?.confidence ?? null,
        since: (stated?.at ?? created_at).toISOString(),
        tlp: tlpOfRank(tlp),
        ...(edited && { edited }),
      }
      return [_id.toHexString(), statement]
    }),
  )
}
