import type { ClientSession, QueryFilter, Types } from 'mongoose'
import type { CampaignModels } from '../models/index.js'
import type { PublicationDoc } from '../models/publication.js'

/** Changes a publication so that it is brought in line with its campaign. Its entry of the outbox is stored with it. */
export const askedFor = (changes: Partial<PublicationDoc> = {}) => ({
  $set: { ...changes, state: 'due' as const },
  $inc: { asked: 1 },
})

/** Has a publication worked on once the transaction is committed. */
export const addPublication = (
  { work }: Pick<CampaignModels, 'work'>,
  _id: Types.ObjectId,
  session: ClientSession,
): Promise<void> => work.publications.add({ id: _id.toHexString() }, { session })

/** Has publications brought in line with their campaigns, in a transaction. */
export const askPublications = async (
  models: Pick<CampaignModels, 'publications' | 'work'>,
  which: QueryFilter<PublicationDoc>,
  session: ClientSession,
  changes?: Partial<PublicationDoc>,
): Promise<void> => {
  const { publications } = models
  const docs = await publications.find(which, { _id: 1 }).session(session).lean<{ _id: Types.ObjectId }[]>()
  for (const { _id } of docs) {
    await publications.updateOne({ _id }, askedFor(changes), { session })
    await addPublication(models, _id, session)
  }
}
