/**
 * Origins, three figures:
 * - searches of a user with many sightings beside those of one with 1,000, in turns, on one service;
 * - the time from the acknowledgement of a record until a search finds it;
 * - records handed in while the index follows, beside the same while nothing is indexed, in turns. Before each turn all
 *   records are indexed.
 *
 * All parts run in one process, as with `npm start`, and share its event loop.
 *
 *   npm run bench -- origins
 *   LARGE=100000 npm run bench -- origins
 */
import { collectorApi, sightingsApi, sightingsInternal } from '@iodine/contracts'
import { startTestStack } from '@iodine/harness'
import { connectMongo, createPeers, readConfig, serviceConfigSchema } from '@iodine/service-kit'
import { median, NO_LIMITS, newId, type SignedInUser, seededRandom, telegramPost } from '@iodine/test-kit'
import { atOnce, count, rate, ratio, table, timed, timeInterleaved, whole } from './lib/measure.js'

const SMALL = 1_000
const large = Number(process.env.LARGE ?? 20_000)
const rounds = Number(process.env.ROUNDS ?? 7)
const SEARCHES = 20
const RECORDS = 4_000
const BATCH = 500

const random = seededRandom(27)
const syllables = ['ka', 'lo', 'mir', 'tes', 'un', 'dra', 'pel', 'os', 'vin', 'gar', 'he', 'stu', 'bri', 'ne']
const wordOf = (n: number) =>
  [n, n * 7 + 3, n * 13 + 1, n >> 4].map(each => syllables[each % syllables.length]).join('') + (n % 97)
/** As in a language, few words are in many texts. */
const aWord = () => wordOf(Math.floor(30_000 * random() ** 3))
const aText = () => Array.from({ length: 30 }, aWord).join(' ')
const claims = Array.from({ length: SEARCHES }, aText)

const stack = await startTestStack({ env: { ...NO_LIMITS, LOG_LEVEL: 'silent' } })
const { env } = stack.parts.collector
const stored = await connectMongo(env.MONGODB_URI ?? '', `${env.MONGODB_PREFIX}_collector`)
const peers = createPeers(readConfig(serviceConfigSchema, env))
try {
  const outbox = stored.collection('outbox')
  /** Has nothing indexed of a user: as if another process worked on it. */
  const pause = async ({ id }: SignedInUser) => {
    const due_at = new Date(Date.now() + 3_600_000)
    const entry = { kind: 'records.changed', key: id, payload: { id }, attempts: 1, created_at: new Date() }
    await outbox.insertOne({ ...entry, due_at, lease: 'paused' })
  }

  const fill = async ({ id: user_id }: SignedInUser, size: number) => {
    const record = (n: number) => ({
      id: newId(),
      source: 'telegram' as const,
      key: newId(),
      account: `account-${n % 500}`,
      url: `https://t.me/account_${n % 500}/${n}`,
      posted_at: new Date(1_700_000_000_000 + n * 60_000).toISOString(),
      claimed_at: new Date(1_700_000_000_000 + n * 60_000).toISOString(),
      fetched_at: new Date(1_790_000_000_000).toISOString(),
      edited: false,
      // Ten tellings of each claim.
      text: n < 10 * SEARCHES ? `${claims[n % SEARCHES]} ${aWord()}` : aText(),
      forwarded_from: null,
      links: [`https://example.org/${n % 3_000}`],
      media: [],
      shared: null,
    })
    await atOnce(Math.ceil(size / 50), 2, async batch => {
      const records = Array.from({ length: 50 }, (_, n) => record(batch * 50 + n))
      await peers.call('sightings', sightingsInternal.putSightings, {
        body: { user_id, records, removed: [] },
        ms: 60_000,
      })
    })
  }
  const [few, many] = [await stack.signUp(), await stack.signUp()]
  await fill(few, SMALL)
  const filled = await timed(() => fill(many, large))
  const searchAll = async ({ api }: SignedInUser) => {
    for (const text of claims) {
      const { counts } = await api.call(sightingsApi.searchSightings, {
        body: { text, scope: 'own', limit: 50 },
      })
      if (counts.items < 10) throw new Error(`found ${counts.items} of 10`)
    }
  }
  const searched = await timeInterleaved(
    rounds,
    { few: () => searchAll(few), many: () => searchAll(many) },
    1,
  )
  table(
    ['sightings', 'indexed, 1/s', 'a search, ms', `share of ${whole(SMALL)}`],
    [
      [whole(SMALL), '', count(searched.few / SEARCHES), ''],
      [
        whole(large),
        rate(large, filled),
        count(searched.many / SEARCHES),
        ratio(searched.many, searched.few),
      ],
    ],
  )

  const { api } = await stack.signUp()
  const waits: number[] = []
  for (let n = 0; n < 20; n++) {
    const text = aText()
    const { results } = await api.call(collectorApi.ingestRecords, {
      params: { source: 'telegram' },
      body: { records: [telegramPost({ description: text })] },
    })
    const [result] = results
    const acknowledged = performance.now()
    const isFound = async () => {
      const { items } = await api.call(sightingsApi.searchSightings, {
        body: { text, scope: 'own', limit: 1 },
      })
      return items.some(({ id }) => result && 'id' in result && result.id === id)
    }
    while (!(await isFound())) await new Promise(resolve => setTimeout(resolve, 20))
    waits.push(performance.now() - acknowledged)
  }
  table(
    ['from the acknowledgement until it is found', 'ms'],
    [
      ['median of 20', whole(Math.round(median(waits)))],
      ['slowest', whole(Math.round(Math.max(...waits)))],
    ],
  )

  const bodies = () =>
    Array.from({ length: RECORDS / BATCH }, () =>
      JSON.stringify({
        records: Array.from({ length: BATCH }, () => telegramPost({ description: aText() })),
      }),
    )
  const handIn = async (user: SignedInUser, given: string[]) => {
    for (const body of given) {
      const { status } = await user.api.send('POST', '/telegram/data', body)
      if (status !== 200) throw new Error(`not taken: ${status}`)
    }
  }
  /** Indexes all that was handed in: the last record of the user is found. */
  const settle = async (user: SignedInUser) => {
    await outbox.deleteMany({ lease: 'paused' })
    const text = aText()
    await user.api.call(collectorApi.ingestRecords, {
      params: { source: 'telegram' },
      body: { records: [telegramPost({ description: text })] },
    })
    for (;;) {
      const { counts } = await user.api.call(sightingsApi.searchSightings, {
        body: { text, scope: 'own', limit: 1 },
      })
      if (counts.by_match.exact && !(await outbox.findOne({ key: user.id }))) return
      await new Promise(resolve => setTimeout(resolve, 200))
    }
  }
  const samples: Record<'indexed' | 'paused', number[]> = { indexed: [], paused: [] }
  for (let round = 0; round <= rounds; round++)
    for (const side of round % 2 ? (['indexed', 'paused'] as const) : (['paused', 'indexed'] as const)) {
      const user = await stack.signUp()
      const given = bodies()
      if (side === 'paused') await pause(user)
      const took = await timed(() => handIn(user, given))
      if (round > 0) samples[side].push(took)
      await settle(user)
    }
  const [indexed, paused] = [median(samples.indexed), median(samples.paused)]
  table(
    ['records handed in, 500 at a time', '1/s', 'share'],
    [
      ['while nothing is indexed', rate(RECORDS, paused), ''],
      ['while they are indexed', rate(RECORDS, indexed), ratio(paused, indexed)],
    ],
  )
} finally {
  await peers.close()
  await stored.close()
  await stack.stop()
}
