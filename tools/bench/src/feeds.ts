/**
 * A page of a TAXII collection of 1,000 published objects, and one of 100,000, in the same product and in turns: the first
 * page, one from the middle, and the look for what is new. Objects are kept ones, which are published as they are.
 *
 *   npm run bench -- feeds
 *   OBJECTS=20000 ROUNDS=11 npm run bench -- feeds
 */
import { campaignsApi, importsApi, profileApi, TAXII_TYPE } from '@iodine/contracts'
import { startProcesses } from '@iodine/harness'
import { NO_LIMITS, signUp } from '@iodine/test-kit'
import { mailsOf } from './lib/mails.js'
import { count, ratio, table, timeInterleaved, whole } from './lib/measure.js'

/** Without what is published of the campaign itself. */
const many = Number(process.env.OBJECTS ?? 100_000) - 100
const few = 900
const rounds = Number(process.env.ROUNDS ?? 31)
const LOOK_MS = 50

const bundleOf = (count: number, mark: string) => {
  const list = Array.from(
    { length: count },
    (_, n) =>
      `{"type":"x-note","id":"x-note--${mark}0000000-0000-4000-8000-${String(n).padStart(12, '0')}","modified":"2026-01-01T00:00:00Z","text":"${'n'.repeat(180)}"}`,
  )
  return new TextEncoder().encode(`{"type":"bundle","objects":[${list.join(',')}]}`)
}

const stack = await startProcesses({ env: NO_LIMITS })
try {
  const { api } = await signUp({ url: stack.url, mail: mailsOf(stack) })
  const { key } = await api.call(profileApi.createFeedKey, { body: { label: 'Bench', tlp: 'green' } })
  const until = async (is: () => Promise<boolean>) => {
    while (!(await is())) await new Promise(resolve => setTimeout(resolve, LOOK_MS))
  }
  const publish = async (objects: number, mark: string) => {
    const { id } = await api.call(campaignsApi.createCampaign, { body: { name: 'Bench' } })
    const made = await api.call(importsApi.createImport, {
      query: { campaign_id: id, format: 'stix' },
      body: bundleOf(objects, mark),
    })
    const state = async () => (await api.call(importsApi.getImport, { params: { id: made.id } })).state
    await until(async () => (await state()) === 'planned')
    await api.call(importsApi.applyImport, { params: { id: made.id }, body: { iods: false } })
    await until(async () => (await state()) === 'done')
    const begun = performance.now()
    await api.call(campaignsApi.updateSharing, { params: { id }, body: { published: true } })
    await until(async () => {
      const { feed } = await api.call(campaignsApi.getSharing, { params: { id } })
      return feed?.state === 'published'
    })
    console.log(
      `${objects} objects published in ${Math.round(performance.now() - begun)} ms, with the wait for the workers`,
    )
    return id
  }
  const get = async (collection: string, query: string) => {
    const answer = await fetch(`${stack.url}/taxii2/iodine/collections/${collection}/objects/?${query}`, {
      headers: { accept: TAXII_TYPE, authorization: `Bearer ${key}` },
    })
    if (answer.status !== 200) throw new Error(`${answer.status}`)
    const { objects = [], next } = (await answer.json()) as { objects?: unknown[]; next?: string }
    return { objects, next, last: answer.headers.get('x-taxii-date-added-last') ?? '' }
  }
  /** Reads a collection whole: its size, a place in its middle, and when its last object was published. */
  const walk = async (collection: string) => {
    const places: string[] = []
    for (let seen = 0, next = ''; ; ) {
      const page = await get(collection, `limit=100${next && `&next=${next}`}`)
      seen += page.objects.length
      if (!page.next) return { seen, last: page.last, middle: places[places.length >> 1] ?? '' }
      next = page.next
      places.push(next)
    }
  }
  const small = await publish(few, '1')
  await publish(many, '2')
  const [of, all] = [await walk(small), await walk('all')]
  const rows: string[][] = []
  for (const [name, ofSmall, ofAll] of [
    ['the first page of 100', 'limit=100', 'limit=100'],
    ['a page of 100 from the middle', `limit=100&next=${of.middle}`, `limit=100&next=${all.middle}`],
    ['what is new: nothing', `added_after=${of.last}`, `added_after=${all.last}`],
  ] as const) {
    const times = await timeInterleaved(
      rounds,
      { few: () => get(small, ofSmall), many: () => get('all', ofAll) },
      3,
    )
    rows.push([name, count(times.few), count(times.many), ratio(times.many, times.few)])
  }
  table(['ms, median', `${whole(of.seen)} objects`, `${whole(all.seen)} objects`, 'ratio'], rows)
} finally {
  await stack.stop()
}
