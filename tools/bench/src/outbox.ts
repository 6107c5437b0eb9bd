/**
 * Time from the response to `POST /iods` until the public profile counts the IOD, by the outbox, compared with a bare call
 * to the community service for the same kind of event; with Redis running, then with Redis stopped.
 *
 *   npm run bench -- outbox
 *   ROUNDS=200 npm run bench -- outbox
 */
import { communityInternal, iodsApi } from '@iodine/contracts'
import { startTestApp } from '@iodine/harness'
import { connectMongo } from '@iodine/service-kit'
import { iodInput, median, newId, startTestRedis } from '@iodine/test-kit'
import { count, interleave, ratio, table, timed } from './lib/measure.js'

const rounds = Number(process.env.ROUNDS ?? 100)

const redis = await startTestRedis()
const app = await startTestApp({ env: { REDIS_URL: redis.url, LOG_LEVEL: 'silent' } })
const community = await connectMongo(app.mongoUrl, `${app.prefix}_community`)
const contributions = community.collection('contributions')
try {
  const { api, id: user_id } = await app.signUp()
  const isThere = async (id: string) => {
    while (
      !(await contributions.findOne(
        { _id: new community.base.Types.ObjectId(id) },
        { projection: { _id: 1 } },
      ))
    );
  }
  const measure = () =>
    interleave(
      rounds,
      {
        outbox: async () => {
          const { id } = await api.call(iodsApi.createIod, { body: iodInput() })
          return timed(() => isThere(id))
        },
        call: () => {
          const { value, category, description } = iodInput()
          const data = {
            id: newId(),
            user_id,
            value,
            category,
            description,
            created_at: new Date().toISOString(),
          }
          const events = [{ type: 'iod.created' as const, data }]
          return timed(() => app.peers.call('community', communityInternal.applyEvents, { body: { events } }))
        },
      },
      5,
    )
  const rows: string[][] = []
  for (const state of ['up', 'stopped']) {
    if (state === 'stopped') await redis.stop()
    const times = await measure()
    const [outbox, call] = [median(times.outbox), median(times.call)]
    rows.push([state, count(outbox), count(call), ratio(outbox, call)])
  }
  table(['Redis', 'ms to the profile (median)', 'ms of a bare call', 'ratio'], rows)
} finally {
  await community.close()
  await app.stop()
  await redis.stop()
}
