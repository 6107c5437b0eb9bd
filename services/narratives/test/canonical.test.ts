import { assign, type Cluster } from '@iodine/canon'
import {
  authInternal,
  type BodyFor,
  type CanonicalNarrative,
  canonInternal,
  canonicalApi,
  DETAILS,
  graphApi,
  LIMITS,
  narrativesApi,
  personalDataInternal,
  repairInternal,
  usageInternal,
} from '@iodine/contracts'
import { newId } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { canonicalNarratives } from '../src/migrations/0002-canonical-narratives.js'
import { type Bench, startBench, type Triplet, triplet } from './bench.js'

type User = Awaited<ReturnType<Bench['user']>>

let bench: Bench
let ana: User
const answers = new Map<string, Triplet[]>()
/** Usernames of those who have a public profile. */
const profiles = new Map<string, string>()

beforeAll(async () => {
  bench = await startBench({ QUOTA_CANON_RULES: '60' })
  bench.work(async id => {
    const doc = await bench.store.narratives.findById(id).lean()
    await bench.finish(id, { triplets: answers.get(doc?.text ?? '') ?? [] })
  })
  bench.bed.answer(authInternal.lookupUsers, ({ body }) =>
    body.ids.flatMap(id => {
      const username = profiles.get(id)
      return username ? [{ id, username, created_at: new Date().toISOString() }] : []
    }),
  )
})
afterAll(() => bench?.stop())
beforeEach(async () => {
  ana = await bench.user('ana')
})

let made = 0
/** Posts a text in which each triplet has a sentence of its own. */
const say = async (triplets: Triplet[], { src, who = ana }: { src?: string; who?: User } = {}) => {
  const sentences = triplets.map(({ subject, verb, object }) => `${subject} ${verb} ${object}.`)
  const text = `Text ${++made}. ${sentences.join(' ')}`
  let start = `Text ${made}. `.length
  const cited = triplets.map((each, n) => {
    const end = start + (sentences[n] as string).length
    const cite = { start, end, score: 1 }
    start = end + 1
    return { ...each, cite }
  })
  answers.set(text, cited as Triplet[])
  return (await who.api.call(narrativesApi.createNarrative, { body: { text, ...(src && { src }) } })).id
}
const heat = (subject = 'giant mirrors', verb = 'heat', object = 'Lake Varnel') =>
  triplet(subject, verb, object)

const clustersOf = (clusters: readonly Cluster[]): BodyFor<typeof canonInternal.applyCanon>['entities'] =>
  clusters
    .filter(({ members }) => members.length > 1)
    .map(({ members }) => members.map(({ key, why, turned }) => ({ key, why, turned })))
const work = (who = ana) => bench.internal(canonInternal.getCanonWork, { params: { user_id: who.id } })
/** The worker's part. Resolves to whether the clusters are in use. */
const finish = async ({ revision, texts, triplets, rules }: Awaited<ReturnType<typeof work>>, who = ana) => {
  const { entities, verbs } = assign(triplets, { rules })
  const body = {
    revision,
    texts,
    method: 'offline' as const,
    entities: clustersOf(entities),
    verbs: clustersOf(verbs),
  }
  return (await bench.internal(canonInternal.applyCanon, { params: { user_id: who.id }, body })).applied
}
const cluster = async (who = ana) => finish(await work(who), who)
const list = (query: Record<string, string | number> = {}, who = ana) =>
  who.api.call(canonicalApi.listCanonical, { query: query as never })
const detail = (id: string, who = ana) => who.api.call(canonicalApi.getCanonical, { params: { id } })
const merge = (id: string, other: string, who = ana) =>
  who.api.send('POST', `/narratives/canonical/${id}/merge`, { with: other })
const split = (id: string, body: object, who = ana) =>
  who.api.send('POST', `/narratives/canonical/${id}/split`, body)
const undo = (id: string, who = ana) => who.api.send('POST', `/narratives/canonical/history/${id}/undo`)
const history = (who = ana) => who.api.call(canonicalApi.listDecisions)
const state = (who = ana) => who.api.call(canonicalApi.getCanonicalState)
const said = ({ subject, verb, object }: CanonicalNarrative) =>
  [subject.label, verb.label, object.label].join(' · ')
const shown = async (who = ana) => (await list({}, who)).map(said)
const keysOf = async (id: string, part: 'subject' | 'verb' | 'object', who = ana) =>
  (await detail(id, who)).members[part].map(({ key }) => key)
const idOf = async (start: string, who = ana) =>
  (await list({}, who)).find(each => said(each).startsWith(start))?.id ?? expect.fail(`no ${start}`)

describe('canonical narratives', () => {
  it('gather what sentences say in other words, by reach; a new text counts at once', async () => {
    await say([heat(), heat('the giant mirrors', 'heats', 'Lake Varnel')], { src: 'https://a.example' })
    await say([heat('Giant Mirrors', 'heated', 'lake varnel'), triplet('Nobody', 'asks', 'why')], {
      src: 'https://b.example',
    })
    expect(await state()).toMatchObject({ pending: true, method: 'offline', rules: { used: 0, limit: 60 } })
    expect((await list()).length).toBeGreaterThan(2)
    expect(await cluster()).toBe(true)
    expect(await state()).toMatchObject({ pending: false })
    const [first, ...others] = await list()
    expect(first).toMatchObject({
      subject: { label: 'giant mirrors', members: 2 },
      verb: { members: 3 },
      object: { label: 'Lake Varnel', members: 1 },
      sentences: 3,
      sources: 2,
      triplets: 3,
      owners: null,
    })
    expect(first?.over_time.reduce((sum, n) => sum + n)).toBe(3)
    expect(others.map(said)).toEqual(['Nobody · asks · why'])
    // A passive says the same the other way round.
    await say([triplet('Lake Varnel', 'is heated by', 'giant mirrors')])
    expect((await list()).length).toBe(3)
    await cluster()
    const [now] = await list()
    expect([now?.id, now && said(now), now?.sentences]).toEqual([first?.id, said(first as never), 4])
  })

  it('are opened on their sentences, which stand in their texts, by source and page by page', async () => {
    const [one, two] = [
      await say([heat(), heat('mirrors giant')], { src: 'https://a.example' }),
      await say([triplet('Nobody', 'asks', 'why'), heat()], { src: 'https://b.example' }),
    ]
    const three = await say([heat()])
    await cluster()
    const [{ id } = { id: '' }] = await list()
    const read = (query: object = {}) =>
      ana.api.page(canonicalApi.listCanonicalSentences, { params: { id }, query: query as never })
    const { items, total } = await read()
    expect(total).toBe(4)
    expect(items.map(({ narrative_id }) => narrative_id)).toEqual([three, two, one, one])
    for (const { narrative_id, place, sentence, before, after } of items) {
      const { text } = await ana.api.call(narrativesApi.getNarrative, { params: { id: narrative_id } })
      expect(text.slice(place?.start, place?.end)).toBe(sentence)
      expect(text).toContain(before + sentence + after)
    }
    expect(items[0]).toMatchObject({ sentence: 'giant mirrors heat Lake Varnel.', src: null })
    const paged: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await read({ limit: 1, ...(cursor && { cursor }) })
      paged.push(...page.items.map(each => `${each.narrative_id} ${each.place?.start}`))
      if (!page.nextCursor) break
      cursor = page.nextCursor
    }
    expect(paged).toEqual(items.map(each => `${each.narrative_id} ${each.place?.start}`))
    expect((await read({ source: 'https://a.example' })).total).toBe(2)
    expect((await read({ source: '' })).items.map(each => each.narrative_id)).toEqual([three])
    const { days, by_source, members } = await detail(id)
    expect(days).toEqual([{ day: new Date().toISOString().slice(0, 10), sentences: 4 }])
    expect(by_source.map(({ src, sentences }) => [src, sentences])).toEqual([
      ['https://a.example', 2],
      ['https://b.example', 1],
      [null, 1],
    ])
    expect(members.subject).toMatchObject([
      { label: 'giant mirrors', times: 3, why: expect.any(String) },
      { label: 'mirrors giant', times: 1 },
    ])
  })
})
