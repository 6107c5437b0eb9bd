import { expect, it, onTestFinished, vi } from 'vitest'
import { createLogger, createPartMetrics } from '../src/index.js'
import { readMetrics } from '../src/observe/metrics.js'
import { createTasks } from '../src/outbox/tasks.js'

const setUp = () => {
  const metrics = createPartMetrics('things')
  const log = createLogger('things', 'silent')
  const warned = vi.spyOn(log, 'warn')
  const tasks = createTasks({ log, metrics })
  onTestFinished(async () => {
    await tasks.close()
    metrics.close()
  })
  return { tasks, metrics, warned }
}
const expectedAt = async (task: string) => {
  const line = new RegExp(`^task_expected_timestamp_seconds{service="things",task="${task}"} (.*)$`, 'm')
  return Number(line.exec((await readMetrics()).text)?.[1] ?? Number.NaN)
}

it('runs a task at start, again after its interval, and after a failure', async () => {
  const { tasks, warned } = setUp()
  let runs = 0
  tasks.every('sweep', 20, async () => {
    if (++runs === 2) throw new Error('database unreachable')
  })
  expect(runs).toBe(0)
  tasks.start()
  await vi.waitFor(() => expect(runs).toBeGreaterThanOrEqual(4))
  expect(warned).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ task: 'sweep' }), 'task failed')
})

it('never runs a task twice at a time; a call waits for a run that began after it', async () => {
  const { tasks } = setUp()
  const ends: (() => void)[] = []
  let most = 0
  let running = 0
  tasks.every('sweep', 3_600_000, async () => {
    most = Math.max(most, ++running)
    await new Promise<void>(resolve => ends.push(resolve))
    running--
  })
  tasks.start()
  await vi.waitFor(() => expect(ends).toHaveLength(1))
  const calls = Promise.all([tasks.run('sweep'), tasks.run('sweep')])
  ends[0]?.()
  await vi.waitFor(() => expect(ends).toHaveLength(2))
  ends[1]?.()
  await calls
  expect([ends.length, most]).toEqual([2, 1])
})

it('a call rejects with the error of its task; another task still runs if called by name', async () => {
  const { tasks } = setUp()
  const swept = vi.fn(async () => {})
  tasks.every('broken', 3_600_000, () => Promise.reject(new Error('broken')))
  tasks.every('sweep', 3_600_000, swept)
  await expect(tasks.run()).rejects.toThrow('broken')
  await tasks.run('sweep')
  expect(swept).toHaveBeenCalledOnce()
})

it('aborts a running task when the service closes', async () => {
  const { tasks } = setUp()
  const states: string[] = []
  tasks.every('long', 3_600_000, async signal => {
    states.push('begun')
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
    states.push('aborted')
  })
  tasks.start()
  await vi.waitFor(() => expect(states).toEqual(['begun']))
  await tasks.close()
  expect(states).toEqual(['begun', 'aborted'])
})

it('exports the time of the next expected success: a failure does not move it', async () => {
  const { tasks } = setUp()
  let isBroken = false
  tasks.every('sweep', 600_000, async () => {
    if (isBroken) throw new Error('broken')
  })
  const before = Date.now() / 1000
  await tasks.run()
  const first = await expectedAt('sweep')
  expect(first).toBeGreaterThanOrEqual(before + 1_200)
  isBroken = true
  await tasks.run().catch(() => {})
  expect(await expectedAt('sweep')).toBe(first)
  await tasks.close()
})

it('exports the time of the first expected success, also in a process that runs no tasks', async () => {
  const { tasks } = setUp()
  tasks.every('sweep', 600_000, async () => {})
  const before = Date.now() / 1000
  tasks.expect()
  expect(await expectedAt('sweep')).toBeGreaterThanOrEqual(before + 600)
  await tasks.close()
})

it('refuses two tasks of one name', () => {
  const { tasks } = setUp()
  tasks.every('sweep', 1_000, async () => {})
  expect(() => tasks.every('sweep', 1_000, async () => {})).toThrow('sweep')
})
