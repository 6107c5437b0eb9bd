import { searchFields } from '@iodine/campaigns'
import { seededRandom } from '@iodine/test-kit'
import { type MongoClient, ObjectId } from 'mongodb'
import { WORDS } from './seed-iods.js'

const BATCH = 500
/** Number of IODs per campaign. */
const MEMBERS = 100

/**
 * Fills the campaigns service's database with one campaign per hundred IODs, each with a hundred of them. Each IOD is in
 * one campaign, and the first hundred IODs are in ten more.
 */
export const seedCampaigns = async (client: MongoClient, ids: readonly ObjectId[]): Promise<void> => {
  const random = seededRandom(11)
  const word = () => WORDS[Math.floor(random() ** 2 * WORDS.length)] as string
  const campaignOf = (members: readonly ObjectId[], n: number) => {
    const name = `${word()} ${word()} ${word()} ${n}`
    return {
      _id: new ObjectId(),
      ...searchFields({ name }),
      name,
      description: '',
      created_by: null,
      created_at: new Date(Date.now() - n * 60_000),
      iod_count: members.length,
      iod_ids: members,
    }
  }
  const first = ids.slice(0, MEMBERS)
  const docs = Array.from({ length: 10 }, (_, n) => campaignOf(first, n))
  for (let n = 0; n < ids.length; n += MEMBERS) docs.push(campaignOf(ids.slice(n, n + MEMBERS), docs.length))
  const campaigns = client.db('iodine_campaigns').collection('campaigns')
  for (let n = 0; n < docs.length; n += BATCH) await campaigns.insertMany(docs.slice(n, n + BATCH))
}
