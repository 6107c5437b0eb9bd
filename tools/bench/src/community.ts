/**
 * The community's list and search with 100,000 profiles against 1,000, each size in a service of its own, in
 * turns. The gateway is left out: its constant cost would hide the service's growth.
 *
 *   npm run bench -- community
 */
import { communityConfigSchema, createApp } from '@iodine/community'
import { gramsOf, readConfig } from '@iodine/service-kit'
import { apiClient, startServiceBed } from '@iodine/test-kit'
import { MongoClient, ObjectId } from 'mongodb'
import { count, ratio, table, timed, timeInterleaved } from './lib/measure.js'

const sizes = { small: 1_000, large: Number(process.env.USERS ?? 100_000) }
const rounds = Number(process.env.ROUNDS ?? 30)

const STEMS = [
  'anna',
  'marko',
  'lena',
  'tomas',
  'news',
  'press',
  'watch',
  'truth',
  'lake',
  'river',
  'north',
  'media',
]
/** Realistic usernames: two common pieces and a unique number. */
const nameOf = (n: number): string => {
  const one = STEMS[n % STEMS.length]
  const other = STEMS[Math.floor(n / STEMS.length) % STEMS.length]
  return `${one}_${other}${n}`
}

const start = async (people: number) => {
  const bed = await startServiceBed()
  const service = await createApp(readConfig(communityConfigSchema, bed.env), bed.deps)
  const client = await new MongoClient(bed.mongo.url).connect()
  const db = client.db(`${bed.env.MONGODB_PREFIX}_community`)
  const created = Date.UTC(2025, 0, 1)
  for (let from = 0; from < people; from += 1_000) {
    const users = Array.from({ length: Math.min(1_000, people - from) }, (_, at) => {
      const n = from + at
      const username = nameOf(n)
      return {
        _id: new ObjectId(),
        username,
        revision: 1,
        created_at: new Date(created + n * 60_000),
        deleted: false,
        public: true,
        search: username,
        grams: gramsOf([username]),
        total_iods: 2,
        total_narratives: 1,
      }
    })
    await db.collection('users').insertMany(users)
    await db.collection('contributions').insertMany(
      users.flatMap(({ _id, created_at }) =>
        ['IOD', 'IOD', 'NARRATIVE'].map((type, nth) => ({
          user_id: _id,
          type,
          title: `What somebody saw, number ${nth}`,
          description: 'Seen twice this week',
          created_at: new Date(created_at.getTime() + nth),
          deleted: false,
        })),
      ),
    )
  }
  await db
    .collection<{ _id: string; n: number; changes: number }>('counters')
    .insertOne({ _id: 'public_users', n: people, changes: 0 })
  await client.close()
  const api = apiClient(await service.listen(), (await bed.user('reader')).token)
  const get = async (query: string) => {
    const { status, body, headers } = await api.send('GET', `/community/users?limit=20${query}`)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    return { total: body.total as number, next: headers.get('x-next-cursor') }
  }
  return {
    people,
    get,
    middle: (await get(`&skip=${people / 2}`)).next ?? '',
    async stop() {
      await service.close()
      await bed.stop()
    },
  }
}

const small = await start(sizes.small)
const large = await start(sizes.large)
type Side = typeof small
const pages: [what: string, query: (side: Side) => string][] = [
  ['first page', () => ''],
  ['page from the middle, by cursor', ({ middle }) => `&cursor=${middle}`],
  ['search with one answer', ({ people }) => `&search=${nameOf(people / 2 + 7)}`],
  ['search that a twelfth of all match', () => '&search=lake_'],
  ['search that a sixth of all match', () => '&search=anna'],
  ['search without an answer', () => '&search=zebra'],
]
const rows: string[][] = []
for (const [what, query] of pages) {
  const first = await timed(() => large.get(query(large)))
  const found = [(await small.get(query(small))).total, (await large.get(query(large))).total]
  const ms = await timeInterleaved(rounds, {
    small: () => small.get(query(small)),
    large: () => large.get(query(large)),
  })
  rows.push([
    what,
    found.map(count).join(' / '),
    count(ms.small),
    count(ms.large),
    ratio(ms.large, ms.small),
    count(first),
  ])
}
table(
  [
    'page',
    'found',
    `${count(small.people)} people, ms`,
    `${count(large.people)} people, ms`,
    'ratio',
    'the first time, ms',
  ],
  rows,
)
await small.stop()
await large.stop()
