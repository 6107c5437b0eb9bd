/**
 * What a member with a script makes of Redis while community is down: memory before and after so many IODs of the longest
 * texts, and the bytes of one waiting job.
 *
 *   npm run bench -- backlog
 *   CREATES=2000 npm run bench -- backlog
 */
import { iodsApi, LIMITS } from '@iodine/contracts'
import { iodInput, startTestStack } from '@iodine/test-kit'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { atOnce, table } from './lib/measure.js'

const creates = Number(process.env.CREATES ?? 10_000)
const LONG = '語'.repeat(LIMITS.fieldMax - 8)
const SAMPLE = 200

const stack = await startTestStack()
const { REDIS_URL: url = '', REDIS_PREFIX: prefix = '' } = stack.parts.workers.env
const redis = new Redis(url)
const memory = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
try {
  const member = await stack.signUp()
  await stack.parts.community.stop()
  const before = await memory()
  let made = 0
  await atOnce(creates, 16, async () => {
    const text = `${String(made++).padStart(8, '0')}${LONG}`
    await member.api.call(iodsApi.createIod, { body: iodInput({ value: text, description: text }) })
  })
  const after = await memory()
  const queue = new Queue('projections', { connection: redis, prefix })
  const jobs = await queue.getJobs(['waiting', 'delayed'], 0, SAMPLE - 1)
  const bytes = await Promise.all(jobs.map(({ id = '' }) => redis.memory('USAGE', queue.toKey(id))))
  const { waiting = 0, delayed = 0, active = 0 } = await queue.getJobCounts()
  await queue.close()
  table(
    ['creates', 'jobs in Redis', 'bytes of a waiting job, mean', 'Redis before, MB', 'after, MB'],
    [
      [
        creates,
        waiting + delayed + active,
        Math.round(bytes.reduce<number>((sum, each) => sum + Number(each), 0) / bytes.length),
        (before / 1e6).toFixed(1),
        (after / 1e6).toFixed(1),
      ],
    ],
  )
} finally {
  redis.disconnect()
  await stack.stop()
}
