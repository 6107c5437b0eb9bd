/**
 * Overhead of an extraction beyond the provider's time (session, key, database, queue, worker, graph), compared with a
 * bare BullMQ round trip on the same Redis. The sides alternate, on the embedded defaults.
 *
 *   npm run bench -- narratives
 */
import { narrativesApi, profileApi } from '@iodine/contracts'
import { startStack } from '@iodine/dev-stack'
import { NO_LIMITS, signUp, startAiProvider, startMailCatcher, temporaryFolder } from '@iodine/test-kit'
import { Queue, QueueEvents, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { table, timeInterleaved } from './lib/measure.js'

const rounds = Number(process.env.ROUNDS ?? 200)
const folder = temporaryFolder()
const [mail, ai] = await Promise.all([startMailCatcher(), startAiProvider()])
const stack = await startStack({
  env: {
    PORT: '0',
    DATA_DIR: folder.path,
    SMTP_URL: mail.url,
    OPENAI_BASE_URL: ai.url,
    ...NO_LIMITS,
    LOG_LEVEL: 'warn',
  },
})
const { api } = await signUp({ url: stack.url, mail })
await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-bench' } })

const text = (round: number) => `Giant mirrors heat lake ${round}. Nobody asks why.`
const connections: Redis[] = []
const connection = () => {
  const redis = new Redis(stack.parts.workers.env.REDIS_URL ?? '', { maxRetriesPerRequest: null })
  connections.push(redis)
  return redis
}
const queue = new Queue('bare', { connection: connection(), prefix: 'bench' })
const events = new QueueEvents('bare', { connection: connection(), prefix: 'bench' })
const worker = new Worker('bare', async () => 1, {
  connection: connection(),
  prefix: 'bench',
  concurrency: 16,
})
await Promise.all([queue.waitUntilReady(), events.waitUntilReady(), worker.waitUntilReady()])

const sides = {
  product: (round: number) => api.call(narrativesApi.createNarrative, { body: { text: text(round) } }),
  provider: async (round: number) => {
    const response = await fetch(`${ai.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-bench', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'none', messages: [{ role: 'user', content: text(round) }] }),
    })
    await response.json()
  },
  queue: async (round: number) => (await queue.add('job', { round })).waitUntilFinished(events),
}
const took = await timeInterleaved(rounds, sides, 10)
const overhead = took.product - took.provider

await worker.close()
await events.close()
await queue.close()
for (const redis of connections) redis.disconnect()
await stack.stop()
await Promise.all([mail.stop(), ai.stop()])
folder.remove()

table(
  ['median of each', 'ms'],
  [
    ['POST /narratives/', took.product.toFixed(1)],
    ["the provider's own time", took.provider.toFixed(1)],
    ['what the product adds', overhead.toFixed(1)],
    ['a bare BullMQ round trip', took.queue.toFixed(2)],
    ['ratio of the last two', (overhead / took.queue).toFixed(1)],
  ],
)
