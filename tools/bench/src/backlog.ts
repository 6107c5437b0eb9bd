/**
 * Redis memory that a scripted member can fill while community is down: memory before and after notices of a
 * given number of IODs, and the bytes of one waiting job.
 *
 *   npm run bench -- backlog
 */
import { createService, readConfig, serviceConfigSchema } from '@iodine/service-kit'
import { newId, startTestRedis } from '@iodine/test-kit'
import { atOnce, table } from './lib/measure.js'

const creates = Number(process.env.CREATES ?? 10_000)
const SAMPLE = 200

const redis = await startTestRedis()
const config = { REDIS_URL: redis.url, SERVICE_KEY: newId(), LOG_LEVEL: 'silent' }
const service = await createService('backlog', readConfig(serviceConfigSchema, config))
const queue = service.queues.queue('projections')
const memory = async () => Number(/used_memory:(\d+)/.exec(await service.redis.info('memory'))?.[1])
try {
  await queue.pause()
  const before = await memory()
  await atOnce(creates, 16, () => service.queues.emit({ type: 'iod.created', id: newId() }))
  const after = await memory()
  const jobs = await queue.getJobs()
  const sample = jobs.slice(0, SAMPLE)
  const bytes = await Promise.all(sample.map(({ id = '' }) => service.redis.memory('USAGE', queue.toKey(id))))
  const mean = bytes.reduce<number>((sum, each) => sum + Number(each), 0) / bytes.length
  table(
    ['creates', 'jobs in Redis', 'bytes of a waiting job', 'Redis before, MB', 'after, MB'],
    [[creates, jobs.length, Math.round(mean), (before / 1e6).toFixed(1), (after / 1e6).toFixed(1)]],
  )
} finally {
  await service.close()
  await redis.stop()
}
