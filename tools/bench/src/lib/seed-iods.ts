import { CATEGORIES, type Category, SOURCE_TYPES, type SourceType, VOTE_TYPES } from '@iodine/contracts'
import { iodSchema, newIodDoc, rankFields } from '@iodine/iods'
import { connectMongo, prepareModels } from '@iodine/service-kit'
import { seededRandom } from '@iodine/test-kit'
import { ObjectId } from 'mongodb'

const BATCH = 2_000
const MINUTE = 60_000

const SYLLABLES = ['ka', 'ro', 'ti', 'me', 'lu', 'sa', 'vo', 'ne', 'pi', 'da', 'fe', 'go']
/** Made-up words of two to four syllables, most frequent first. */
export const WORDS = Array.from({ length: 600 }, (_, n) => {
  const random = seededRandom(n + 1)
  return Array.from(
    { length: 2 + Math.floor(random() * 3) },
    () => SYLLABLES[Math.floor(random() * SYLLABLES.length)],
  ).join('')
})

/** Pairs of adjacent words. Each is in one of twenty IODs, so that a search fills a page at any collection size. */
export const PHRASES = Array.from(
  { length: 40 },
  (_, n) => `${WORDS[(n * 7) % WORDS.length]} ${WORDS[(n * 13 + 300) % WORDS.length]}`,
)

/**
 * Fills the iods service's database with `count` IODs by 200 users, one per minute up to a day ago, with votes, in the
 * stored form of the service: indexed and tallied.
 * @param uri URI of the database server
 * @param texts `short`: five words and a number, without a description, with less than half of the n-grams. `unsearched`:
 *   the same without n-grams, whose index takes most of the time.
 */
export const seedIods = async (
  uri: string,
  count: number,
  texts: 'short' | 'long' | 'unsearched' = 'long',
): Promise<void> => {
  // The embedded engine does not respond while it builds an index.
  const withLongHeartbeat = new URL(uri)
  withLongHeartbeat.searchParams.set('heartbeatFrequencyMS', '7200000')
  const db = await connectMongo(withLongHeartbeat.href, 'iodine_iods')
  db.model('Iod', iodSchema)
  const tallies = new Map<string, { category: Category; source_type: SourceType; n: number }>()
  const random = seededRandom(7)
  const users = Array.from({ length: 200 }, () => new ObjectId())
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const word = () => WORDS[Math.floor(random() ** 2 * WORDS.length)] as string
  const words = (least: number, most: number) =>
    Array.from({ length: least + Math.floor(random() * (most - least)) }, word).join(' ')
  const newest = Date.now() - 24 * 60 * MINUTE
  const docOf = (n: number) => {
    const isShort = texts !== 'long'
    const value = `${isShort ? words(3, 4) : words(4, 10)} ${PHRASES[n % (isShort ? 40 : 20)]} ${n}`
    const description = isShort ? '' : `${words(5, 14)} ${PHRASES[20 + (n % 20)]}`
    const created_at = new Date(newest - (count - n) * MINUTE)
    const votes = users.slice(0, Math.floor(random() * 4)).map(user_id => ({
      _id: new ObjectId(),
      user_id,
      vote_type: pick(VOTE_TYPES),
      created_at,
    }))
    const source = `https://example.org/${n % 10 ? `posts/${Math.floor(n / 20)}` : 'feed'}`
    const input = { value, category: pick(CATEGORIES), description, source_type: pick(SOURCE_TYPES), source }
    return {
      ...newIodDoc(pick(users), input),
      created_at,
      revision: created_at,
      ...(texts === 'unsearched' && { ngrams: [] }),
      votes,
      ...rankFields(votes),
    }
  }
  for (let n = 0; n < count; n += BATCH) {
    const docs = Array.from({ length: Math.min(BATCH, count - n) }, (_, m) => docOf(n + m))
    await db.collection('iods').insertMany(docs)
    for (const { category, source_type } of docs) {
      const kind = `${category} ${source_type}`
      tallies.set(kind, { category, source_type, n: (tallies.get(kind)?.n ?? 0) + 1 })
    }
  }
  await db.collection('tallies').insertMany([...tallies.values()])
  // After the documents, so that index entries are written in order.
  await prepareModels(db)
  await db.close()
}
