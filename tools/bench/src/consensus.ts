/**
 * Votes, with who votes together being counted meanwhile or not, and what consensus takes to read. Through the
 * gateway, one at a time, in turns, as with `npm start`.
 *
 *   npm run bench -- consensus
 *   ROUNDS=200 IODS=100000 npm run bench -- consensus
 */
import { iodsApi } from '@iodine/contracts'
import { startProduct } from '@iodine/harness'
import { startBed } from './lib/bed.js'
import { count, inTurns, ratio, table, whole } from './lib/measure.js'
import { seedIods } from './lib/seed-iods.js'

const rounds = Number(process.env.ROUNDS ?? 50)
const warmUps = 5
const iods = Number(process.env.IODS ?? 10_000)
const PAGE = 50
const MOST = 500
const POLL_MS = 100

const bed = await startBed(startProduct, { fill: uri => seedIods(uri, iods, 'short') })
try {
  const db = bed.client.db('iodine_iods')
  const isBuilt = async () => (await db.collection('covote_builds').countDocuments({ live: true })) > 0
  const built = async () => {
    while (!(await isBuilt())) await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
  await built()
  const pairs = await db.collection('covotes').countDocuments()

  const { api } = await bed.signUp()
  const found = db.collection('iods').find().project({ _id: 1 })
  const ids = (await found.limit(2 * (rounds + warmUps) + MOST).toArray()).map(({ _id }) => String(_id))
  const vote = (id = '') => api.call(iodsApi.voteIod, { params: { id }, body: { vote_type: 'POSITIVE' } })
  const took = await inTurns(
    rounds,
    {
      vote: round => vote(ids[2 * round]),
      page: () => api.call(iodsApi.weighVotes, { body: { ids: ids.slice(0, PAGE) } }),
      most: () => api.call(iodsApi.weighVotes, { body: { ids: ids.slice(0, MOST) } }),
    },
    warmUps,
  )
  // All votes are counted anew meanwhile.
  await db.collection('covote_builds').deleteMany({})
  await db.collection('covotes').deleteMany({})
  const from = performance.now()
  const counting = await inTurns(rounds, { vote: round => vote(ids[2 * round + 1]) })
  await built()
  const builtMs = performance.now() - from
  table(
    [`median, ${whole(iods)} IODs, ${whole(pairs)} counts`, 'ms', 'beside a vote'],
    [
      ['POST /iods/:id/vote', count(took.vote), ''],
      ['the same while all votes are counted anew', count(counting.vote), ratio(counting.vote, took.vote)],
      [`POST /iods/consensus, ${PAGE} IODs`, count(took.page), ratio(took.page, took.vote)],
      [`POST /iods/consensus, ${MOST} IODs`, count(took.most), ratio(took.most, took.vote)],
    ],
  )
  console.log(`\nAll votes counted from scratch in ${whole(Math.round(builtMs))} ms.`)
} finally {
  await bed.stop()
}
