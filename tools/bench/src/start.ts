/**
 * `npm start` on a built clone, until its line `ready http…`: on a new data folder and on an existing one, beside a floor
 * that takes turns with it: the bare processes of a start alone (npm asked for its
 * version, then an empty Node process, redis-server and the embedded database at once).
 *
 *   npm run bench -- start
 *
 * CPU time is of all processes of a start until it has stopped again, by the system's count of ended children.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { startRedis } from '@iodine/local-servers'
import { temporaryFolder } from '@iodine/test-kit'
import { interleave, mapValues, medians, ratio, table, timed } from './lib/measure.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const rounds = Number(process.env.ROUNDS ?? 5)

/** CPU time of all ended children, in milliseconds; Linux counts it in hundredths of a second. */
const cpuOfChildren = (): number => {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/** Resolves once the command has printed a line of this kind, or has ended well if there is none to wait for. */
const run = (command: string, args: string[], env: NodeJS.ProcessEnv, awaited?: RegExp) => {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  const ready = new Promise<void>((done, fail) => {
    createInterface({ input: child.stdout }).on('line', line => awaited?.test(line) && done())
    child.on('error', fail)
    child.on('exit', code =>
      !awaited && code === 0 ? done() : fail(new Error(`${command} ended with ${code}`)),
    )
  })
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { ready, stop }
}

const start = async (folder: string) => {
  const cpuBefore = cpuOfChildren()
  const env = { DATA_DIR: folder, PORT: '0', INBOX_PORT: '0' }
  const from = performance.now()
  const product = run('npm', ['start'], env, /^ready http/)
  await product.ready
  const ms = performance.now() - from
  await product.stop()
  return { ms, cpu: cpuOfChildren() - cpuBefore }
}

/** What no start can do without: npm, then the processes of a start. */
const floor = async () => {
  const scratch = temporaryFolder()
  const cpuBefore = cpuOfChildren()
  const stops: (() => unknown)[] = []
  const ms = await timed(async () => {
    await run('npm', ['--version'], {}).ready
    const servers = await Promise.all([
      startRedis({ folder: join(scratch.path, 'redis') }),
      startEmbeddedMongo({ dataDir: join(scratch.path, 'mongo'), isolate: 'process' }),
      run(process.execPath, ['-e', ''], {}).ready,
    ])
    stops.push(servers[0].stop, servers[1].stop)
  })
  for (const stop of stops) await stop()
  scratch.remove()
  return { ms, cpu: cpuOfChildren() - cpuBefore }
}

const existing = temporaryFolder()
try {
  await start(existing.path)
  const samples = await interleave(rounds, {
    floor,
    fresh: async () => {
      const scratch = temporaryFolder()
      try {
        return await start(scratch.path)
      } finally {
        scratch.remove()
      }
    },
    existing: () => start(existing.path),
  })
  const { floor: bare, fresh, existing: known } = mapValues(samples, medians)
  const row = (name: string, { ms, cpu }: typeof bare) => [
    name,
    ms.toFixed(0),
    ratio(ms, bare.ms),
    cpu.toFixed(0),
    (cpu / 2).toFixed(0),
  ]
  table(
    ['', 'ms to ready', 'beside the floor', 'CPU, ms', 'CPU on two cores, ms'],
    [row('floor', bare), row('new data folder', fresh), row('existing data folder', known)],
  )
} finally {
  existing.remove()
}
