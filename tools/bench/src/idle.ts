/**
 * Idle cost of the product: CPU time and bytes written to disk by each process of `npm start` without a client, over a
 * minute, half a minute and three minutes after the start.
 *
 *   npm run bench -- idle
 *   SECONDS=60 npm run bench -- idle
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startApp } from '@iodine/harness'
import { cpuSeconds, descendants } from './lib/cpu.js'
import { table } from './lib/measure.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const SECONDS = Number(process.env.SECONDS ?? 60)
/** By then, the tasks at the start have ended. */
const STARTED_MS = 30_000
/** By then, V8 has collected the garbage of the start. */
const QUIET_MS = 180_000

/** Returns the bytes that the process has written to the disk (proc(5), /proc/pid/io). */
const written = (pid: number) =>
  Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])

/** Returns one row per descendant process and a total: share of a core, bytes written within `SECONDS`. */
const measure = async (kind: string, afterMs: number): Promise<string[][]> => {
  await sleep(afterMs)
  const usage = () =>
    descendants(process.pid)
      .filter(({ command }) => !command.startsWith('ps '))
      .map(each => ({ ...each, cpu: cpuSeconds(each.pid), bytes: written(each.pid) }))
  const before = usage()
  await sleep(SECONDS * 1_000)
  const used = usage().map(({ pid, command, cpu, bytes }) => {
    const then = before.find(each => each.pid === pid)
    const name = command.replaceAll(`${ROOT}/`, '').split(' ').slice(0, 2).join(' ')
    return { name, cpu: cpu - (then?.cpu ?? 0), bytes: bytes - (then?.bytes ?? 0) }
  })
  const sum = (field: 'cpu' | 'bytes') => used.reduce((total, each) => total + each[field], 0)
  const all = { name: 'all', cpu: sum('cpu'), bytes: sum('bytes') }
  return [...used, all].map(({ name, cpu, bytes }) => [
    kind,
    name,
    `${((100 * cpu) / SECONDS).toFixed(2)} %`,
    String(bytes),
  ])
}

const product = await startApp({ LOG_LEVEL: 'info' })
const rows = [
  ...(await measure('just started', STARTED_MS)),
  ...(await measure('after three minutes', QUIET_MS - STARTED_MS - SECONDS * 1_000)),
]
await product.stop()
table(['', 'process', 'CPU of a core', 'bytes written'], rows)
