/**
 * A file of Zeeschuimer with generated posts of X imported into My data, by `npm run import` and by the page, on the
 * product as started by `npm start`, compared with a bare `insertMany` of the stored documents, with the same indexes,
 * into the same database. Also: time to recognise the file, memory of a process that reads a large file, and frames per
 * second of the page while it reads and sends the file.
 *
 *   npm run bench -- imports-my-data
 *   POSTS=20000 LARGE_MIB=0 npm run bench -- imports-my-data
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startApp } from '@iodine/harness'
import { recognise } from '@iodine/imports'
import { NO_LIMITS, type SignedInUser, temporaryFolder } from '@iodine/test-kit'
import type { Page } from '@playwright/test'
import { launchBrowser, openPage } from './lib/browser.js'
import { cpuSeconds, descendants } from './lib/cpu.js'
import { count, ratio, table, timed, whole } from './lib/measure.js'
import { startTestServer } from './lib/test-server.js'
import { writePosts } from './lib/x-posts.js'

const POSTS = Number(process.env.POSTS ?? 100_000)
const LARGE_MIB = Number(process.env.LARGE_MIB ?? 2_048)
const ROOT = resolve(import.meta.dirname, '../../..')
const HEAD_BYTES = 262_144
const BATCH = 500
const WAIT_MS = 1_800_000
const MIB = 2 ** 20

interface Ran {
  ms: number
  /** CPU seconds. */
  cpu: number
  /** Largest resident memory, in MiB. */
  memory: number
}

/** Arguments of Node in `npm run import`. */
const [, , ...COMMAND] = (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { import: string } }
).scripts.import.split(' ')

/** Runs the command of `npm run import` and returns what it took. */
const runImport = async (file: string, args: string[], env: Record<string, string> = {}): Promise<Ran> => {
  const from = performance.now()
  const child = spawn(process.execPath, [...COMMAND, file, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  let [cpu, memory] = [0, 0]
  const look = () => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    memory = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? memory * 1024) / 1024
    cpu = cpuSeconds(child.pid as number) || cpu
  }
  const watch = setInterval(look, 100)
  const [code] = await exited
  clearInterval(watch)
  if (code !== 0) throw new Error(`The command ended with ${code}`)
  return { ms: performance.now() - from, cpu, memory }
}

/** CPU seconds of the product and its database so far. */
const appSeconds = (): number =>
  descendants(process.pid)
    .filter(({ command }) => !/chrom|scripts\/import/.test(command))
    .reduce((sum, { pid }) => {
      try {
        return sum + cpuSeconds(pid)
      } catch {
        return sum
      }
    }, 0)

/** Counts the frames of a page until `stop` of the result is called, which returns frames per second and the longest gap. */
const countFrames = async (page: Page) => {
  await page.evaluate(() => {
    const seen = { from: performance.now(), last: performance.now(), frames: 0, gap: 0 }
    Object.assign(globalThis, { seen })
    const onFrame = () => {
      const now = performance.now()
      seen.gap = Math.max(seen.gap, now - seen.last)
      seen.last = now
      seen.frames += 1
      requestAnimationFrame(onFrame)
    }
    requestAnimationFrame(onFrame)
  })
  return {
    stop: () =>
      page.evaluate(() => {
        const { seen } = globalThis as never as {
          seen: { from: number; last: number; frames: number; gap: number }
        }
        return { rate: (1_000 * seen.frames) / (seen.last - seen.from), gap: seen.gap }
      }),
  }
}

/** Imports the file by the page. */
const importByPage = async (page: Page, url: string, file: string) => {
  await page.goto(`${url}/dashboard/data/import`)
  const input = page.getByLabel('Files to import')
  await input.waitFor({ state: 'attached' })
  const reading = await countFrames(page)
  const send = page.getByRole('button', { name: `Import ${whole(POSTS)} records` })
  const read = await timed(async () => {
    await input.setInputFiles(file)
    await send.waitFor({ timeout: WAIT_MS })
  })
  const whileRead = await reading.stop()
  const sending = await countFrames(page)
  const sent = await timed(async () => {
    await send.click()
    await page.getByText(`${whole(POSTS)} new, 0 completed, 0 unchanged`).waitFor({ timeout: WAIT_MS })
  })
  return { read, sent, whileRead, whileSent: await sending.stop() }
}

const folder = temporaryFolder()
const file = join(folder.path, 'zeeschuimer-export-x.ndjson')
await writePosts(file, POSTS)
const bytes = statSync(file).size
console.log(`${whole(POSTS)} posts, ${whole(bytes)} bytes\n`)
const browser = await launchBrowser()
const server = await startTestServer(startApp, { env: NO_LIMITS })
try {
  const chunks: Buffer[] = await createReadStream(file, { end: HEAD_BYTES - 1 }).toArray()
  const head = Buffer.concat(chunks)
  const recognised = await timed(() => recognise(head, 'posts.ndjson'))

  const records = server.client.db('iodine_collector').collection('records')
  const bare = server.client.db('bench_bare').collection('records')
  const indexes = (await records.indexes()).filter(({ name }) => name !== '_id_')
  await bare.createIndexes(indexes as never)

  const timedApp = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
    const before = appSeconds()
    return [await work(), appSeconds() - before]
  }
  const importBy = ({ token }: SignedInUser) => runImport(file, [], { IODINE: server.url, TOKEN: token })
  const read = await runImport(file, ['--plan'])
  const [byCommand, appCpu] = await timedApp(async () => importBy(await server.signUp()))
  let insertedMs = 0
  let batch: object[] = []
  const insert = async () => {
    insertedMs += await timed(() => bare.insertMany(batch))
    batch = []
  }
  const [, bareCpu] = await timedApp(async () => {
    for await (const document of records.find().batchSize(BATCH))
      if (batch.push(document) === BATCH) await insert()
    if (batch.length > 0) await insert()
  })
  if ((await bare.countDocuments()) !== POSTS) throw new Error('Records are missing')

  const page = await openPage(browser, (await server.signUp()).token)
  const byPage = await importByPage(page, server.url, file)
  table(
    ['what', 'ms', '÷ insertMany', 'CPU, s', 'memory, MiB'],
    [
      ['recognised', recognised.toFixed(0), '', '', ''],
      ['insertMany', whole(Math.round(insertedMs)), '1.00', bareCpu.toFixed(1), ''],
      [
        'read (`--plan`)',
        whole(Math.round(read.ms)),
        ratio(read.ms, insertedMs),
        read.cpu.toFixed(1),
        count(read.memory),
      ],
      [
        'imported by the command',
        whole(Math.round(byCommand.ms)),
        ratio(byCommand.ms, insertedMs),
        `${byCommand.cpu.toFixed(1)} + ${appCpu.toFixed(1)} of the product`,
        count(byCommand.memory),
      ],
      ['read by the page', whole(Math.round(byPage.read)), ratio(byPage.read, insertedMs), '', ''],
      ['sent by the page', whole(Math.round(byPage.sent)), ratio(byPage.sent, insertedMs), '', ''],
    ],
  )
  console.log('')
  table(
    ['page', 'frames/s', 'longest pause, ms'],
    [
      ['while it reads', byPage.whileRead.rate.toFixed(1), byPage.whileRead.gap.toFixed(0)],
      ['while it sends', byPage.whileSent.rate.toFixed(1), byPage.whileSent.gap.toFixed(0)],
    ],
  )
} finally {
  await browser.close()
  await server.stop()
}
if (LARGE_MIB > 0) {
  const large = join(folder.path, 'large.ndjson')
  await writePosts(large, Math.ceil((POSTS * LARGE_MIB * MIB) / bytes))
  const { ms, cpu, memory } = await runImport(large, ['--plan'])
  console.log(
    `\n${whole(statSync(large).size)} bytes read in ${whole(Math.round(ms))} ms, ${cpu.toFixed(1)} s of CPU: at most ${count(memory)} MiB resident`,
  )
}
folder.remove()
