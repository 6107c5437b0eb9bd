import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { authInternal, narrativesInternal } from '@iodine/contracts'
import { createService, readConfig, type Service, seal, serviceConfigSchema } from '@iodine/service-kit'
import { type AiProvider, newId, type ServiceBed, startAiProvider, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

let bed: ServiceBed
let ai: AiProvider
let service: Service
let worker: ChildProcess | undefined

beforeAll(async () => {
  // A process to kill needs built code: the tests' own compiler leaves none.
  await promisify(execFile)(here('../../../node_modules/.bin/tsc'), ['-b', here('..')])
  ;[bed, ai] = await Promise.all([startServiceBed(), startAiProvider()])
  service = await createService('elsewhere', readConfig(serviceConfigSchema, bed.env), bed.deps)
}, 120_000)
afterAll(async () => {
  worker?.kill('SIGKILL')
  await service?.close()
  await ai?.stop()
  await bed?.stop()
})

const startWorker = () => {
  worker = spawn(process.execPath, [here('../dist/server.js')], {
    env: { ...bed.env, OPENAI_BASE_URL: ai.url, SMTP_URL: 'smtp://127.0.0.1:1' },
    stdio: 'ignore',
  })
}
const killWorker = async () => {
  const gone = worker && once(worker, 'exit')
  worker?.kill('SIGKILL')
  await gone
}

it('workers killed at random points leave no narrative behind', { timeout: 150_000 }, async () => {
  const users = Array.from({ length: 4 }, newId)
  const keys = new Map(users.map(id => [id, seal(bed.env.SECRETS_KEY ?? '', `ai-key:${id}`, 'sk-test')]))
  const open = new Map(Array.from({ length: 12 }, (_, n) => [newId(), users[n % 4] ?? '']))
  const finished = new Map<string, number>()
  bed.answer(authInternal.getSealedAiKey, ({ params: { id } }) => ({ sealed: keys.get(id) ?? null }))
  bed.answer(narrativesInternal.getExtractionWork, ({ params: { id } }) => ({
    user_id: open.get(id) ?? '',
    text: `They hide ${id}.`,
  }))
  bed.answer(narrativesInternal.finishExtraction, async ({ params: { id } }) => {
    finished.set(id, (finished.get(id) ?? 0) + 1)
    await sleep(20)
    return { triplets_extracted: 1 }
  })
  ai.always({ after: 1_500, answer: 'simple' })
  for (const [narrative_id, user_id] of open)
    await service.queues.add(
      'extraction',
      { narrative_id, user_id },
      { jobId: `n-${narrative_id}`, attempts: 6 },
    )

  const queue = service.queues.queue('extraction')
  let interrupted = 0
  for (let kills = 0; kills < 2; kills++) {
    startWorker()
    const before = finished.size + ai.requests.length
    await vi.waitFor(() => expect(finished.size + ai.requests.length).toBeGreaterThan(before), 20_000)
    await sleep(Math.random() * 1_000)
    await killWorker()
    interrupted += await queue.getActiveCount()
  }
  expect(interrupted).toBeGreaterThan(0)
  const restarted = Date.now()
  startWorker()
  await vi.waitFor(() => expect(finished.size).toBe(12), { timeout: 90_000, interval: 250 })
  expect(Date.now() - restarted).toBeLessThan(90_000)
  await vi.waitFor(
    async () => expect(await queue.getJobCountByTypes('active', 'wait', 'delayed', 'failed')).toBe(0),
    {
      timeout: 60_000,
      interval: 250,
    },
  )
})
