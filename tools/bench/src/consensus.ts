/**
 * What a vote takes while the projection of who votes together is stopped, while it counts votes as they come, and
 * while it is built from scratch, in turns; and what consensus takes to read. Through the gateway, one at a time, as
 * with `npm start`.
 *
 *   npm run bench -- consensus
 *   ROUNDS=20 IODS=64000 npm run bench -- consensus
 */
import { iodsApi } from '@iodine/contracts'
import { startProduct } from '@iodine/harness'
import { median, type SignedInUser } from '@iodine/test-kit'
import { startBed } from './lib/bed.js'
import { count, ratio, table, timed, timeInterleaved, whole } from './lib/measure.js'
import { seedIods } from './lib/seed-iods.js'

const rounds = Number(process.env.ROUNDS ?? 5)
const iods = Number(process.env.IODS ?? 16_000)
const VOTERS = 4
/** Time of votes in a row: two runs of the task that counts them. */
const BLOCK_MS = 20_000
const READS = 50
const WARM_UPS = 5
const PAGE = 50
const MOST = 500
const POLL_MS = 100
const NEVER = new Date('9999-01-01T00:00:00Z')

const bed = await startBed(startProduct, { fill: uri => seedIods(uri, iods, 'short') })
try {
  const db = bed.client.db('iodine_iods')
  const builds = db.collection<{ _id: number; up_to: Date; live: boolean; begun_at: Date }>('covote_builds')
  while (!(await builds.countDocuments({ live: true })))
    await new Promise(resolve => setTimeout(resolve, POLL_MS))

  const found = await db.collection('iods').find().project({ _id: 1 }).toArray()
  const ids = found.map(({ _id }) => String(_id))
  const voters: SignedInUser[] = []
  for (let n = 0; n < VOTERS; n++) voters.push(await bed.signUp())
  let votes = 0
  const vote = async () => {
    const [id, voter] = [ids[Math.floor(votes / VOTERS)], voters[votes % VOTERS]]
    if (!id || !voter) throw new Error('All have voted on everything: IODS must be more')
    votes++
    await voter.api.call(iodsApi.voteIod, { params: { id }, body: { vote_type: 'POSITIVE' } })
  }
  /** Times votes one after another. */
  const block = async (): Promise<number[]> => {
    const took: number[] = []
    const from = performance.now()
    while (performance.now() - from < BLOCK_MS) took.push(await timed(vote))
    return took
  }
  await block()

  const took = { stopped: [] as number[], counting: [] as number[], building: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    // A build that is ahead of all votes has nothing to count, and none begins beside a young one.
    const state = await builds.find().toArray()
    await builds.deleteMany({ live: false })
    await builds.updateMany({}, { $set: { up_to: NEVER, batch: null, begun_at: new Date() } })
    took.stopped.push(...(await block()))
    for (const { _id, up_to } of state) await builds.updateOne({ _id }, { $set: { up_to } })
    took.counting.push(...(await block()))
    const unfinished = state.filter(({ live }) => !live)
    if (unfinished.length > 0) await builds.insertMany(unfinished)
    await builds.updateMany({}, { $set: { begun_at: new Date(0) } })
    took.building.push(...(await block()))
  }

  const { api } = await bed.signUp()
  const weigh = (n: number) => api.call(iodsApi.weighVotes, { body: { ids: ids.slice(0, n) } })
  const reads = await timeInterleaved(READS, { page: () => weigh(PAGE), most: () => weigh(MOST) }, WARM_UPS)
  const mean = (times: number[]) => times.reduce((sum, each) => sum + each, 0) / times.length
  const { stopped, counting, building } = took
  const line = (name: string, times: number[]) => [
    name,
    count(median(times)),
    ratio(median(times), median(stopped)),
    count(mean(times)),
    ratio(mean(times), mean(stopped)),
  ]
  table(
    [`a vote, ${whole(iods)} IODs, ${whole(votes)} votes cast`, 'median, ms', '', 'mean, ms', ''],
    [
      line('the projection stopped', stopped),
      line('it counts votes as they come', counting),
      line('it is built from scratch', building),
    ],
  )
  console.log(`\nConsensus of ${PAGE} IODs: ${count(reads.page)} ms, of ${MOST}: ${count(reads.most)} ms.`)
} finally {
  await bed.stop()
}
