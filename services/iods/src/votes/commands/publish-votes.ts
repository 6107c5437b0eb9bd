import { LIMITS, type NotificationEvent, tlpOfRank } from '@iodine/contracts'
import { type Peers, publishToWatchers } from '@iodine/service-kit'
import type { IodDoc, IodModel } from '../../iods/models/iod.js'

type Voted = Pick<IodDoc, '_id' | 'value' | 'votes' | 'tlp' | 'vote_news'>

/** Returns the event of an IOD's votes at the last one that is news; none for TLP:RED. */
const eventOf = ({ _id, value, votes, tlp: rank, vote_news = 0 }: Voted): NotificationEvent[] => {
  const tlp = tlpOfRank(rank)
  const counted = votes.slice(0, vote_news)
  const at = counted.at(-1)?.created_at
  if (tlp === 'red' || !at) return []
  const positive = counted.filter(({ vote_type }) => vote_type === 'POSITIVE').length
  const negative = counted.length - positive
  return [{ type: 'iod.voted', id: _id.toHexString(), value, positive, negative, tlp, at: at.toISOString() }]
}

/**
 * Publishes the votes that are news, each at least once: votes mark the IOD, and this removes the mark after the
 * delivery. An outbox entry would cost each vote a transaction.
 */
export const publishVotes = async (iods: IodModel, peers: Peers): Promise<void> => {
  const docs = await iods
    .find({ vote_news: { $exists: true } }, { value: 1, votes: 1, tlp: 1, vote_news: 1 })
    .limit(LIMITS.notificationEvents)
    .lean<Voted[]>()
  if (docs.length === 0) return
  await publishToWatchers(peers, docs.flatMap(eventOf))
  await iods.bulkWrite(
    docs.map(({ _id, vote_news }) => ({
      updateOne: { filter: { _id, vote_news: vote_news as number }, update: { $unset: { vote_news: 1 } } },
    })),
    { ordered: false },
  )
}
