/**
 * Time of the notifications service for one event of a new IOD, which matches 10 watches or none, and for one record of
 * 2,000 characters, which matches 10, with 0, 10,000 and 100,000 watches of other users. And its CPU time for a poll of the bell, in a process of its own, with 5,000 notifications.
 *
 *   npm run bench -- notifications
 *   ROUNDS=200 POLLS=2000 npm run bench -- notifications
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { notificationsInternal } from '@iodine/contracts'
import { startTestApp } from '@iodine/harness'
import { connectMongo, gramsOfTerm } from '@iodine/service-kit'
import { median, newId } from '@iodine/test-kit'
import { cpuSeconds } from './lib/cpu.js'
import { count, ratio, table, timed } from './lib/measure.js'

const ROUNDS = Number(process.env.ROUNDS ?? 100)
const POLLS = Number(process.env.POLLS ?? 2_000)
const SIZES = [0, 10_000, 100_000]
const MATCHING = 10
const WARM_UPS = 10
const NOTIFICATIONS = 5_000

/** Returns a word of a vocabulary of 20,000, frequent ones first (Zipf). */
const word = () => `w${Math.floor(20_000 ** Math.random()).toString(36)}x`
/** Returns a word of the vocabulary, each as likely. */
const anyWord = () => `w${Math.floor(20_000 * Math.random()).toString(36)}x`
const words = (n: number) => Array.from({ length: n }, word).join(' ')

const app = await startTestApp({ env: { LOG_LEVEL: 'silent' } })
const stored = await connectMongo(app.mongoUrl, `${app.prefix}_notifications`)
const { ObjectId } = stored.base.Types
const watches = stored.collection('watches')
const author = newId()

/** Returns a watch: of an IOD, of a search of two words, or of a term. */
const watchOf = (n: number) => {
  const q = `${anyWord()} ${anyWord()}`
  const kind = (['iod', 'search', 'term'] as const)[n % 3] ?? 'iod'
  const key = {
    iod: `iod:${newId()}`,
    search: `gram:${gramsOfTerm(q, { longest: 10 })[0]}`,
    term: `anchor:${Math.floor(2 ** 32 * Math.random())}`,
  }[kind]
  const doc = {
    user_id: new ObjectId(),
    kind,
    subject_id: null,
    search: kind === 'search' ? { q } : null,
    text: kind === 'term' ? q : null,
    name: q,
    channels: [],
    paused: false,
    created_at: new Date(),
    identity: String(n),
    keys: [key],
  }
  return n < MATCHING
    ? { ...doc, kind: 'person', subject_id: new ObjectId(author), keys: [`person:${author}`] }
    : doc
}
const event = (user_id: string) => ({
  type: 'iod.created' as const,
  id: newId(),
  user_id,
  value: words(10),
  description: words(20),
  category: 'SENTENCE' as const,
  source_type: 'MANUAL' as const,
  source: null,
  source_id: null,
  tlp: null,
  at: new Date().toISOString(),
})
const record = () => ({
  id: newId(),
  source: 'telegram' as const,
  key: newId(),
  account: null,
  url: null,
  posted_at: null,
  claimed_at: null,
  fetched_at: new Date().toISOString(),
  edited: false,
  text: words(400),
  forwarded_from: null,
  links: [],
  media: [],
  shared: 'username' as const,
})
const medianOf = async (work: () => Promise<unknown>): Promise<number> => {
  const times: number[] = []
  for (let round = 0; round < WARM_UPS + ROUNDS; round++) times.push(await timed(work))
  return median(times.slice(WARM_UPS))
}

/** Replaces the service by a process of its own, polls the bell, and resolves to the milliseconds of its CPU time a poll. */
const pollCost = async (token: string): Promise<number> => {
  const { url, env, stop } = app.parts.notifications
  await stop()
  const server = join(import.meta.dirname, '../../../services/notifications/dist/server.js')
  const child = spawn(process.execPath, [server], { env, stdio: 'ignore' })
  try {
    const isReady = () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    while (!(await isReady())) await setTimeout(50)
    const headers: Record<string, string> = { authorization: `Bearer ${token}` }
    const poll = async (times: number) => {
      for (let n = 0; n < times; n++) {
        const answer = await fetch(`${url}/api/v1/notifications/unread`, { headers })
        headers['if-none-match'] = answer.headers.get('etag') ?? ''
        await answer.arrayBuffer()
      }
    }
    await poll(POLLS)
    const before = cpuSeconds(child.pid as number)
    await poll(POLLS)
    return ((cpuSeconds(child.pid as number) - before) * 1_000) / POLLS
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

try {
  const rows: string[][] = []
  let added = 0
  let bare: number[] | undefined
  for (const size of SIZES) {
    for (; added < size; added += 1_000)
      await watches.insertMany(Array.from({ length: 1_000 }, (_, n) => watchOf(added + n)))
    const ofEvents = (user: string) =>
      medianOf(() =>
        app.peers.call('notifications', notificationsInternal.receiveEvents, {
          body: { events: [event(user)] },
        }),
      )
    const unmatched = await ofEvents(newId())
    const events = await ofEvents(author)
    const records = await medianOf(() =>
      app.peers.call('notifications', notificationsInternal.receiveRecords, {
        body: { user_id: author, records: [record()] },
      }),
    )
    bare ??= [unmatched, events, records]
    const times = [unmatched, events, records].flatMap((ms, n) => [count(ms), ratio(ms, bare?.[n] ?? 0)])
    rows.push([String(size), ...times])
  }
  table(['watches', 'ms an event of none', '÷', 'ms an event of ten', '÷', 'ms a record of ten', '÷'], rows)

  const { id, token } = await app.signUp()
  const at = new Date()
  const notification = { user_id: new ObjectId(id), kind: 'iod', subject_kind: 'iod', tlp: 1, read_at: null }
  await stored
    .collection('notifications')
    .insertMany(Array.from({ length: NOTIFICATIONS }, () => ({ ...notification, created_at: at, count: 1 })))
  table(['', 'ms of CPU'], [['a poll of the bell', (await pollCost(token)).toFixed(2)]])
} finally {
  await stored.close()
  await app.stop()
}
