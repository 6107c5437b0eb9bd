/**
 * What a vote takes while the projection of who votes together is stopped, while it counts votes as they come, and
 * while it is built from scratch; and what consensus takes to read. Through the gateway, one at a time, as with
 * `npm start`. Stopped and counting take turns.
 *
 *   npm run bench -- consensus
 *   ROUNDS=20 IODS=100000 npm run bench -- consensus
 */
import { iodsApi } from '@iodine/contracts'
import { startProduct } from '@iodine/harness'
import { median, type SignedInUser } from '@iodine/test-kit'
import { startBed } from './lib/bed.js'
import { count, inTurns, ratio, table, timed, whole } from './lib/measure.js'
import { seedIods } from './lib/seed-iods.js'

const rounds = Number(process.env.ROUNDS ?? 5)
const iods = Number(process.env.IODS ?? 10_000)
const VOTERS = 4
/** Time of votes in a row: two rounds of the repair, which counts. */
const BLOCK_MS = 4_000
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
  const covotes = db.collection('covotes')
  const newest = () => builds.findOne({}, { sort: { _id: -1 } })
  const built = async (least: number) => {
    while (!(await builds.countDocuments({ _id: { $gte: least }, live: true })))
      await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
  await built(1)

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
  /** Times votes one after another until it is over. */
  const block = async (isOver: (ms: number) => unknown): Promise<number[]> => {
    const took: number[] = []
    const from = performance.now()
    while (!(await isOver(performance.now() - from))) took.push(await timed(vote))
    return took
  }
  const afterBlock = (ms: number) => ms > BLOCK_MS
  await block(afterBlock)

  const stopped: number[] = []
  const counting: number[] = []
  for (let round = 0; round < rounds; round++) {
    // A build that is ahead of all votes has nothing to count.
    const build = await newest()
    await builds.updateMany({}, { $set: { up_to: NEVER, batch: null } })
    stopped.push(...(await block(afterBlock)))
    await builds.updateMany({}, { $set: { up_to: build?.up_to ?? new Date(0) } })
    counting.push(...(await block(afterBlock)))
  }

  const last = (await newest())?._id ?? 0
  await builds.updateMany({}, { $set: { begun_at: new Date(0) } })
  let isBuilt = false
  const building = built(last + 1).then(() => {
    isBuilt = true
  })
  const from = performance.now()
  const meanwhile = await block(() => isBuilt)
  await building
  const builtMs = performance.now() - from

  const { api } = await bed.signUp()
  const weigh = (n: number) => api.call(iodsApi.weighVotes, { body: { ids: ids.slice(0, n) } })
  const reads = await inTurns(READS, { page: () => weigh(PAGE), most: () => weigh(MOST) }, WARM_UPS)
  const plain = median(stopped)
  const line = (name: string, ms: number) => [name, count(ms), ratio(ms, plain)]
  table(
    [
      `median, ${whole(iods)} IODs, ${whole(await covotes.countDocuments())} counts, ${whole(votes)} votes cast`,
      'ms',
      'beside the first',
    ],
    [
      line('POST /iods/:id/vote, the projection stopped', plain),
      line('the same while it counts votes as they come', median(counting)),
      line('the same while it is built from scratch', median(meanwhile)),
      line(`POST /iods/consensus, ${PAGE} IODs`, reads.page),
      line(`POST /iods/consensus, ${MOST} IODs`, reads.most),
    ],
  )
  console.log(`\nBuilt from scratch in ${whole(Math.round(builtMs))} ms.`)
} finally {
  await bed.stop()
}
