import { assign, type Cluster } from '@iodine/canon'
import {
  authInternal,
  type BodyFor,
  type CanonicalNarrative,
  type CanonicalSentence,
  canonInternal,
  canonicalApi,
  DETAILS,
  graphApi,
  LIMITS,
  type MergeScope,
  narrativesApi,
  personalDataInternal,
  sightingsInternal,
  usageInternal,
} from '@iodine/contracts'
import { newId } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { CROWD_MS, startTestServer, type TestServer, type Triplet, triplet } from './test-server.js'

type User = Awaited<ReturnType<TestServer['user']>>

let server: TestServer
let ana: User
const answers = new Map<string, Triplet[]>()
/** Usernames of users with a public profile, by id. */
const profiles = new Map<string, string>()

beforeAll(async () => {
  server = await startTestServer({ QUOTA_CANON_RULES: '60' })
  server.work(async id => {
    const doc = await server.store.narratives.findById(id).lean()
    await server.finish(id, { triplets: answers.get(doc?.text ?? '') ?? [] })
  })
  server.fixture.answer(authInternal.lookupUsers, ({ body }) =>
    body.ids.flatMap(id => {
      const username = profiles.get(id)
      return username ? [{ id, username, created_at: new Date().toISOString() }] : []
    }),
  )
})
afterAll(() => server?.stop())
beforeEach(async () => {
  ana = await server.user('ana')
})

let made = 0
/** Posts a text with one sentence per triplet. */
const postText = async (triplets: Triplet[], { src, who = ana }: { src?: string; who?: User } = {}) => {
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
const work = (who = ana) => server.internal(canonInternal.getCanonWork, { params: { user_id: who.id } })
/** Delivers clusters as the worker does. Resolves to whether they were stored. */
const finish = async ({ revision, texts, triplets, rules }: Awaited<ReturnType<typeof work>>, who = ana) => {
  const { entities, verbs } = assign(triplets, { rules })
  const body = {
    revision,
    texts,
    method: 'offline' as const,
    entities: clustersOf(entities),
    verbs: clustersOf(verbs),
  }
  return (await server.internal(canonInternal.applyCanon, { params: { user_id: who.id }, body })).applied
}
const cluster = async (who = ana) => finish(await work(who), who)
const list = (query: Record<string, string | number> = {}, who = ana) =>
  who.api.call(canonicalApi.listCanonical, { query: query as never })
const detail = (id: string, who = ana) => who.api.call(canonicalApi.getCanonical, { params: { id } })
const merge = (id: string, other: string, who = ana, scope?: MergeScope) =>
  who.api.send('POST', `/narratives/canonical/${id}/merge`, { with: other, ...(scope && { scope }) })
const preview = async (id: string, other: string, limit = 100) => {
  const path = `/narratives/canonical/${id}/merge?with=${other}&limit=${limit}`
  const { headers, body } = await ana.api.send('GET', path)
  return { total: headers.get('x-total-count'), names: body.map(labelsOf).toSorted() }
}
const split = (id: string, body: object, who = ana) =>
  who.api.send('POST', `/narratives/canonical/${id}/split`, body)
const undo = (id: string, who = ana) => who.api.send('POST', `/narratives/canonical/history/${id}/undo`)
const history = (who = ana) => who.api.call(canonicalApi.listDecisions)
const state = (who = ana) => who.api.call(canonicalApi.getCanonicalState)
const labelsOf = ({ subject, verb, object }: CanonicalNarrative) =>
  [subject.label, verb.label, object.label].join(' · ')
const shown = async (who = ana) => (await list({}, who)).map(labelsOf)
const keysOf = async (id: string, part: 'subject' | 'verb' | 'object', who = ana) =>
  (await detail(id, who)).members[part].map(({ key }) => key)
const idOf = async (start: string, who = ana) =>
  (await list({}, who)).find(each => labelsOf(each).startsWith(start))?.id ?? expect.fail(`no ${start}`)

describe('a comparison by meaning', () => {
  const alike = [
    { key: 'jab', why: 'meaning' as const, turned: false },
    { key: 'vaccine', why: 'leader' as const, turned: false },
  ]
  const answer = async (failure: 'rejected_key' | null, entities = [alike]) => {
    const { revision, texts } = await work()
    const method = failure ? ('offline' as const) : ('embeddings' as const)
    const body = { revision, texts, method, compared: { failure }, entities, verbs: [] }
    return server.internal(canonInternal.applyCanon, { params: { user_id: ana.id }, body })
  }

  it('stays pending until it is delivered; later jobs receive the pairs that it joined', async () => {
    await postText([triplet('vaccine', 'harms', 'kids'), triplet('jab', 'harms', 'kids')])
    await cluster()
    expect(await state()).toMatchObject({ pending: false, comparing: false, failure: null })
    await ana.api.call(canonicalApi.compareByMeaning)
    await ana.api.call(canonicalApi.compareByMeaning)
    expect(await state()).toMatchObject({ pending: true, comparing: true })
    expect(await work()).toMatchObject({ compare: true, alike: [] })
    // Clusters without the comparison leave it pending.
    await cluster()
    expect(await state()).toMatchObject({ pending: true, comparing: true })
    expect(await answer(null)).toEqual({ applied: true })
    expect(await state()).toMatchObject({
      pending: false,
      comparing: false,
      failure: null,
      method: 'embeddings',
    })
    await postText([heat()])
    expect(await work()).toMatchObject({
      compare: false,
      alike: [{ kind: 'entity', a: 'jab', b: 'vaccine' }],
    })
  })

  it('that fails returns the reason until another one succeeds', async () => {
    await postText([heat()])
    await ana.api.call(canonicalApi.compareByMeaning)
    await answer('rejected_key', [])
    expect(await state()).toMatchObject({
      pending: false,
      comparing: false,
      failure: 'rejected_key',
      method: 'offline',
    })
    await ana.api.call(canonicalApi.compareByMeaning)
    await answer(null, [])
    expect(await state()).toMatchObject({ failure: null, method: 'embeddings' })
  })
})

describe('canonical narratives', () => {
  it('group reworded sentences, sorted by reach; a new text counts at once', async () => {
    await postText([heat(), heat('giant mirrors', 'heats')], { src: 'https://a.example' })
    await postText([heat('The giant mirrors', 'heated', 'Lake  Varnel'), triplet('Nobody', 'asks', 'why')], {
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
    expect(first).toMatchObject({ clock: 'analyzed', dated: 3, over_time: [] })
    expect(others.map(labelsOf)).toEqual(['Nobody · asks · why'])
    // A passive joins the cluster with exchanged subject and object.
    await postText([triplet('Lake Varnel', 'is heated by', 'giant mirrors')])
    expect((await list()).length).toBe(3)
    await cluster()
    const [now] = await list()
    expect([now?.id, now && labelsOf(now), now?.sentences]).toEqual([first?.id, labelsOf(first as never), 4])
  })

  it('list their sentences with positions in the texts, by source and page by page', async () => {
    const [one, two] = [
      await postText([heat(), heat('mirrors giant')], { src: 'https://a.example' }),
      await postText([triplet('Nobody', 'asks', 'why'), heat()], { src: 'https://b.example' }),
    ]
    const three = await postText([heat()])
    await cluster()
    const [{ id } = { id: '' }] = await list()
    const read = async (query: Record<string, string> = {}) => {
      const path = `/narratives/canonical/${id}/sentences?${new URLSearchParams(query)}`
      const { body, headers } = await ana.api.send('GET', path)
      const items = body as CanonicalSentence[]
      return {
        items,
        total: Number(headers.get('x-total-count')),
        nextCursor: headers.get('x-next-cursor'),
      }
    }
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
      const page = await read({ limit: '1', ...(cursor && { cursor }) })
      paged.push(...page.items.map(each => `${each.narrative_id} ${each.place?.start}`))
      if (!page.nextCursor) break
      cursor = page.nextCursor
    }
    expect(paged).toEqual(items.map(each => `${each.narrative_id} ${each.place?.start}`))
    expect((await read({ source: 'https://a.example' })).total).toBe(2)
    expect((await read({ source: '' })).items.map(each => each.narrative_id)).toEqual([three])
    const { days, by_source, members } = await detail(id)
    const perDay = new Map<string, number>()
    for (const { narrative_id } of items) {
      const doc = await server.store.narratives.findById(narrative_id).lean()
      const day = doc?.created_at.toISOString().slice(0, 10) ?? ''
      perDay.set(day, (perDay.get(day) ?? 0) + 1)
    }
    expect(days).toEqual([...perDay].sort().map(([day, sentences]) => ({ day, sentences })))
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

describe('dates', () => {
  const LETTERS = ['https://a.example/letters', 'https://b.example/letters']
  const POSTED = ['2026-10-12T06:31:00.000Z', '2026-11-05T10:00:00.000Z']

  it('are posting times if records contain any, else times of analysis', async () => {
    server.fixture.answer(sightingsInternal.postedTimes, ({ body }) =>
      LETTERS.flatMap((address, n) =>
        body.user_id === ana.id && body.addresses.includes(address)
          ? [{ address, posted_at: POSTED[n] as string }]
          : [],
      ),
    )
    await postText([heat()], { src: LETTERS[1] as string })
    await postText([heat(), triplet('Nobody', 'asks', 'why')], { src: LETTERS[0] as string })
    await postText([heat()], { src: 'https://c.example' })
    await postText([triplet('An advertiser', 'pays', 'Captain Osk')])
    const [first, ...others] = await list()
    expect(first).toMatchObject({
      clock: 'posted',
      sentences: 3,
      dated: 2,
      since: POSTED[0],
      last: POSTED[1],
    })
    expect(first?.over_time.reduce((sum, n) => sum + n)).toBe(2)
    expect([first?.over_time[0], first?.over_time.at(-1)]).toEqual([1, 1])
    const day = new Date().toISOString().slice(0, 10)
    expect(
      Object.fromEntries(others.map(each => [labelsOf(each), [each.clock, each.since.slice(0, 10)]])),
    ).toEqual({
      'Nobody · asks · why': ['posted', '2026-10-12'],
      'An advertiser · pays · Captain Osk': ['analyzed', day],
    })
    expect((await detail(first?.id ?? '')).days).toEqual([
      { day: '2026-10-12', sentences: 1 },
      { day: '2026-11-05', sentences: 1 },
    ])
    const sentences = await ana.api.call(canonicalApi.listCanonicalSentences, {
      params: { id: first?.id ?? '' },
    })
    expect(sentences.map(({ src, posted_at }) => [src, posted_at])).toEqual([
      ['https://c.example', null],
      [LETTERS[0], POSTED[0]],
      [LETTERS[1], POSTED[1]],
    ])
  })
})

it('counts variants by the triplets of the narrative, so that its parts have equal sums', async () => {
  await postText([heat(), heat('the giant mirrors', 'heated')], { src: 'https://a.example' })
  await postText([triplet('Lake Varnel', 'is heated by', 'giant mirrors'), heat('giant mirror')])
  await postText([
    triplet('The giant mirrors', 'face', 'a tower'),
    triplet('a giant mirror', 'face', 'the tower'),
  ])
  await cluster()
  const { members, triplets } = await detail(await idOf('giant mirrors · heat'))
  expect(triplets).toBe(4)
  for (const part of ['subject', 'verb', 'object'] as const)
    expect(members[part].reduce((sum, { times }) => sum + times, 0)).toBe(triplets)
  expect(members.subject.map(({ key, times }) => [key, times])).toEqual([
    ['giant mirrors', 2],
    ['the giant mirrors', 1],
    ['giant mirror', 1],
    ['a giant mirror', 0],
  ])
})

/** Two narratives that the clustering separates, and a third one. */
const LAKES = [heat(), triplet('sun satellites', 'warm', 'the reservoir'), triplet('Nobody', 'asks', 'why')]

describe('decisions', () => {
  it('merge two narratives at once, and survive new texts and clusterings', async () => {
    await postText(LAKES, { src: 'https://a.example' })
    await cluster()
    const [one, two] = [await idOf('giant mirrors'), await idOf('sun satellites')]
    const merged = await merge(one, two)
    expect(merged.status).toBe(200)
    expect(await detail(merged.body.id)).toMatchObject({
      sentences: 2,
      subject: { members: 2 },
      verb: { members: 2 },
      object: { members: 2 },
    })
    expect(await shown()).toHaveLength(2)
    expect((await list({ q: 'SATELL' })).map(({ id }) => id)).toEqual([merged.body.id])
    await postText([triplet('the sun satellites', 'warmed', 'Lake Varnel')], { src: 'https://b.example' })
    expect(await cluster()).toBe(true)
    const [first] = await list()
    expect(first).toMatchObject({ sentences: 3, sources: 2 })
    expect(await keysOf(first?.id ?? '', 'subject')).toEqual(
      expect.arrayContaining(['giant mirrors', 'sun satellites', 'the sun satellites']),
    )
    expect(await history()).toMatchObject([
      {
        id: merged.body.decision,
        action: 'merge',
        undone_at: null,
        changes: [
          { kind: 'entity', left: ['giant mirrors'], right: ['sun satellites'] },
          { kind: 'verb', left: ['heat'], right: ['warm'] },
          { kind: 'entity', left: ['Lake Varnel'], right: ['the reservoir'] },
        ],
      },
    ])
    expect(await state()).toMatchObject({ rules: { used: 3, limit: 60 } })

    expect((await undo(merged.body.decision)).status).toBe(200)
    expect((await shown()).length).toBeGreaterThanOrEqual(3)
    expect((await undo(merged.body.decision)).body.detail).toBe(DETAILS.decisionUndone)
    await cluster()
    expect(await shown()).toHaveLength(4)
    expect(await state()).toMatchObject({ rules: { used: 0 } })
    expect((await history())[0]?.undone_at).toEqual(expect.any(String))
  })

  it('split variants off, which stay together and separate from the others', async () => {
    const labels = ['giant mirrors', 'the giant mirrors', 'giant mirror', 'a giant mirror']
    await postText(labels.map(label => heat(label)))
    await cluster()
    const [{ id } = { id: '' }] = await list()
    const keys = await keysOf(id, 'subject')
    expect(keys.toSorted()).toEqual(labels.toSorted())
    const off = ['giant mirror', 'a giant mirror']
    const done = await split(id, { part: 'subject', members: off })
    expect(done.status).toBe(200)
    const look = async () => {
      const lists = await Promise.all((await list()).map(each => keysOf(each.id, 'subject')))
      return lists.map(each => each.toSorted()).toSorted()
    }
    const expected = [off.toSorted(), ['giant mirrors', 'the giant mirrors']]
    expect(await look()).toEqual(expected)
    await postText([heat('Giant  Mirrors'), heat('giant mirror')])
    await cluster()
    expect(await look()).toEqual(expected)
    // The decision contradicts a merge of the two.
    const [a, b] = (await list()).map(each => each.id) as [string, string]
    const refused = await merge(a, b)
    expect(refused.status).toBe(409)
    expect(refused.body.detail).toMatch(
      /^This contradicts earlier decisions: “.*giant mirror.*” is not “.*mirrors.*”/,
    )
    expect(await look()).toEqual(expected)
    expect((await undo(done.body.decision)).status).toBe(200)
    expect(await look()).toEqual([labels.toSorted()])
    await cluster()
    expect(await look()).toEqual([labels.toSorted()])
  })

  it('are rejected with the rules that they contradict: merged variants cannot be split before an undo', async () => {
    await postText(LAKES)
    await cluster()
    const merged = await merge(await idOf('giant mirrors'), await idOf('sun satellites'))
    const refused = await split(merged.body.id, { part: 'subject', members: ['sun satellites'] })
    const day = (await history())[0]?.at.slice(0, 10)
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      `This contradicts earlier decisions: “\u2068giant mirrors\u2069” is the same as “\u2068sun satellites\u2069” (${day}). Undo them in the history first`,
    ])
    expect(await history()).toHaveLength(1)
    expect((await undo(merged.body.decision)).status).toBe(200)
    expect(await shown()).toHaveLength(3)
  })

  it('with overlapping parts can be undone', async () => {
    await postText([triplet('gulls', 'follow', 'tides'), triplet('tides', 'follow', 'gulls')])
    await cluster()
    const before = await list()
    const merged = await merge(await idOf('gulls'), await idOf('tides'))
    expect(await list()).toMatchObject([{ id: merged.body.id, sentences: 2 }])
    expect(await state()).toMatchObject({ rules: { used: 1 } })
    expect((await undo(merged.body.decision)).status).toBe(200)
    expect(await list()).toEqual(before)
    await cluster()
    expect(await list()).toEqual(before)
  })

  it('are rejected for unknown narratives, variants and cursors', async () => {
    await postText(LAKES)
    await cluster()
    const id = await idOf('giant mirrors')
    expect((await merge(id, newId())).status).toBe(404)
    expect((await merge(newId(), id)).status).toBe(404)
    expect((await merge(id, id)).body.detail).toBe(DETAILS.sameNarrative)
    const tries = [
      [{ part: 'subject', members: ['giant mirrors'] }, 422],
      [{ part: 'subject', members: ['nobody'] }, 422],
      [{ part: 'subject', members: [] }, 422],
      [{ part: 'subjects', members: ['giant mirrors'] }, 422],
      [{ part: 'verb', members: Array.from({ length: LIMITS.splitMembersMax + 1 }, (_, n) => `v${n}`) }, 422],
    ] as const
    for (const [body, status] of tries) expect([body, (await split(id, body)).status]).toEqual([body, status])
    expect((await undo(newId())).status).toBe(404)
    expect((await ana.api.send('GET', '/narratives/canonical/nonsense')).status).toBe(404)
    expect((await ana.api.send('GET', '/narratives/canonical?cursor=nonsense')).status).toBe(422)
    expect((await ana.api.send('GET', `/narratives/canonical/${id}/sentences?cursor=x`)).status).toBe(422)
    expect(await history()).toEqual([])
  })

  it('are not overwritten by clusters from earlier decisions', async () => {
    await postText(LAKES)
    const before = await work()
    await finish(before)
    const older = await (async () => {
      await postText([triplet('Someone', 'asks', 'how')])
      return work()
    })()
    const merged = await merge(await idOf('giant mirrors'), await idOf('sun satellites'))
    expect(await finish(older)).toBe(false)
    expect((await detail(merged.body.id)).sentences).toBe(2)
    expect(await state()).toMatchObject({ pending: true })
    // Clusters of fewer texts arrive late.
    const now = await work()
    expect(await finish(now)).toBe(true)
    expect(await finish({ ...now, texts: now.texts - 1 })).toBe(false)
    expect(await finish(now)).toBe(true)
    await expect(work()).rejects.toMatchObject({ status: 404 })
    expect((await detail(merged.body.id)).sentences).toBe(2)
  })

  it('50 concurrent merges are all stored; rules above the quota are rejected', {
    tags: 'long',
    timeout: CROWD_MS,
  }, async () => {
    const things = Array.from({ length: 51 }, (_, n) => `thing${String.fromCharCode(97 + (n % 26))}x${n}`)
    await postText(things.map(thing => triplet(thing, 'is', 'here')))
    await cluster()
    const ids = await Promise.all(things.map(thing => idOf(`${thing} `)))
    const answers = await Promise.all(ids.slice(1).map(id => merge(ids[0] as string, id)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const [all, ...others] = await list()
    expect([all?.sentences, others]).toEqual([51, []])
    await cluster()
    expect((await list()).map(({ sentences }) => sentences)).toEqual([51])
    const usage = () => server.internal(usageInternal.getUsage, { params: { id: ana.id } })
    expect((await usage()).canon_rules).toEqual({ used: 50, limit: 60 })

    // Concurrent undos succeed once per decision.
    const decisions = await history()
    const undone = await Promise.all([...decisions, ...decisions].map(({ id }) => undo(id)))
    expect(undone.filter(({ status }) => status === 200)).toHaveLength(50)
    expect((await usage()).canon_rules).toEqual({ used: 0, limit: 60 })
    await cluster()
    expect(await list()).toHaveLength(51)
    // 61 rules exceed the quota.
    const many = Array.from({ length: 62 }, (_, n) => `the item ${'i'.repeat(n + 1)}`)
    await postText(many.map(each => triplet(each, 'counts', 'much')))
    const { revision, texts } = await work()
    const entities = [many.map(key => ({ key, why: 'words' as const, turned: false }))]
    await server.internal(canonInternal.applyCanon, {
      params: { user_id: ana.id },
      body: { revision, texts, method: 'offline', entities, verbs: [] },
    })
    const big = await idOf('the item')
    const refused = await split(big, { part: 'subject', members: [many[0]] })
    expect([refused.status, refused.body.detail]).toEqual([
      413,
      'Your merges and splits of canonical narratives take 0 of 60 rules, and this needs 61 more: undo some to make room',
    ])
    expect((await detail(big)).sentences).toBe(62)
  })

  it('stay in force while no text contains their labels', async () => {
    const texts = [await postText([LAKES[0] as Triplet]), await postText([LAKES[1] as Triplet])]
    await cluster()
    const merged = await merge(await idOf('giant mirrors'), await idOf('sun satellites'))
    await ana.api.call(narrativesApi.deleteNarrative, { params: { id: texts[1] as string } })
    await cluster()
    expect(await shown()).toEqual(['giant mirrors · heat · Lake Varnel'])
    expect(await history()).toHaveLength(1)
    await ana.api.call(narrativesApi.restoreNarrative, { params: { id: texts[1] as string } })
    await cluster()
    expect((await list()).map(({ sentences }) => sentences)).toEqual([2])
    for (const id of texts) await ana.api.call(narrativesApi.deleteNarrative, { params: { id } })
    expect(await list()).toEqual([])
    await cluster()
    expect(await server.store.canonMembers.countDocuments({ user_id: ana.id })).toBe(0)
    expect((await undo(merged.body.decision)).status).toBe(200)
  })

  it('accept labels with any characters', async () => {
    const hostile = [
      '\u202Egnp.exe\u202C',
      `${'x'.repeat(LIMITS.tripletPartMax - 4)} $.a`,
      '$where',
      'a.b.c',
      '__proto__',
      'constructor',
      '<img src=x onerror=alert(1)>',
      '👩🏽‍🚀',
      '.',
    ]
    await postText(hostile.map(label => triplet(label, '$set', 'e.$.x')))
    await cluster()
    expect(await list()).toHaveLength(hostile.length)
    const [one, ...others] = await list()
    let id = one?.id ?? ''
    for (const { id: other } of others) {
      const merged = await merge(id, other)
      expect(merged.status).toBe(200)
      id = merged.body.id
    }
    await cluster()
    const { members } = await detail(id)
    expect(members.subject.map(({ label }) => label).toSorted()).toEqual(hostile.toSorted())
    const refused = await split(id, { part: 'subject', members: [`${'x'.repeat(496)} $.a`] })
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('x…')])
    for (const decision of await history()) expect((await undo(decision.id)).status).toBe(200)
    await cluster()
    expect(await list()).toHaveLength(hostile.length)
  })
})

describe('a merge of two narratives only', () => {
  const spread = [
    heat(),
    triplet('sun satellites', 'heat', 'Lake Varnel'),
    triplet('sun satellites', 'melt', 'the glacier'),
    triplet('giant mirrors', 'blind', 'pilots'),
  ]
  const narrow = (id: string, other: string) => merge(id, other, ana, 'narrative')

  it('joins them under both ids, and leaves other narratives and the graph as they are', async () => {
    await postText([heat(), ...spread], { src: 'https://a.example' })
    await cluster()
    const [one, two] = [await idOf('giant mirrors · heat'), await idOf('sun satellites · heat')]
    expect(await preview(one, two)).toEqual({
      total: '2',
      names: ['giant mirrors · blind · pilots', 'sun satellites · melt · the glacier'],
    })
    expect(await preview(one, two, 1)).toMatchObject({ total: '2', names: [expect.any(String)] })
    const graph = await ana.api.send('GET', '/graph/triplets?canonical=true')
    const merged = await narrow(one, two)
    expect(merged.status).toBe(200)
    expect(await detail(one)).toEqual(await detail(two))
    expect(await detail(merged.body.id)).toMatchObject({
      sentences: 3,
      triplets: 3,
      subject: { members: 2 },
      verb: { members: 1 },
      object: { members: 1 },
      members: {
        subject: [
          { key: 'giant mirrors', times: 2 },
          { key: 'sun satellites', times: 1, why: 'rule' },
        ],
      },
    })
    expect((await shown()).toSorted()).toEqual([
      'giant mirrors · blind · pilots',
      'giant mirrors · heat · Lake Varnel',
      'sun satellites · melt · the glacier',
    ])
    expect((await list({ q: 'satellites' })).map(labelsOf)).toHaveLength(2)
    expect((await ana.api.send('GET', '/graph/triplets?canonical=true')).body).toEqual(graph.body)
    const sentences = await ana.api.call(canonicalApi.listCanonicalSentences, { params: { id: two } })
    expect(sentences.map(({ sentence }) => sentence)).toEqual([
      'giant mirrors heat Lake Varnel.',
      'giant mirrors heat Lake Varnel.',
      'sun satellites heat Lake Varnel.',
    ])
  })

  it('survives new texts and clusterings, and is undone', async () => {
    await postText(spread)
    await cluster()
    const before = await list()
    const [one, two] = [await idOf('giant mirrors · heat'), await idOf('sun satellites · heat')]
    const { decision } = (await narrow(one, two)).body
    expect((await work()).rules).toEqual([])
    expect(await cluster()).toBe(true)
    await postText([triplet('the sun satellites', 'heated', 'Lake Varnel')])
    expect(await cluster()).toBe(true)
    expect(await detail(two)).toMatchObject({ sentences: 3, subject: { members: 3 } })
    expect(await history()).toMatchObject([
      {
        action: 'merge',
        narrative: ['giant mirrors', 'heat', 'Lake Varnel'],
        changes: [{ kind: 'entity', left: ['giant mirrors'], right: ['sun satellites'] }],
      },
    ])
    expect(await state()).toMatchObject({ rules: { used: 1 } })
    expect((await undo(decision)).status).toBe(200)
    await cluster()
    expect(await shown()).toHaveLength(before.length)
    expect(await state()).toMatchObject({ rules: { used: 0 } })
  })

  it('turns a passive narrative, and joins several, also after the text that links them is deleted', async () => {
    await postText([triplet('Lake Varnel', 'is scorched by', 'giant mirrors')])
    const link = await postText([heat('solar sails')])
    await postText([heat('sun satellites', 'cook'), heat('sun satellites', 'cook')])
    await cluster()
    const [passive, sails] = [await idOf('Lake Varnel'), await idOf('solar sails')]
    expect((await narrow(passive, sails)).status).toBe(200)
    expect(await detail(passive)).toMatchObject({
      subject: { label: 'solar sails', members: 2 },
      verb: { label: 'heat', members: 2 },
      object: { label: 'Lake Varnel', members: 1 },
      members: { object: [{ key: 'lake varnel', times: 2 }] },
    })
    expect((await narrow(sails, await idOf('sun satellites'))).status).toBe(200)
    expect(await shown()).toEqual(['sun satellites · cook · Lake Varnel'])
    await ana.api.call(narrativesApi.deleteNarrative, { params: { id: link } })
    expect(await detail(passive)).toMatchObject({ triplets: 3, subject: { members: 2 } })
  })

  it('is rejected for one narrative; its variants are split after an undo', async () => {
    await postText(spread)
    await cluster()
    const [one, two] = [await idOf('giant mirrors · heat'), await idOf('sun satellites · heat')]
    const both = await Promise.all([narrow(one, two), narrow(two, one)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const { decision } = both.find(({ status }) => status === 200)?.body ?? {}
    expect(await state()).toMatchObject({ rules: { used: 1 } })
    expect((await narrow(one, two)).body.detail).toBe(DETAILS.sameNarrative)
    expect((await ana.api.send('GET', `/narratives/canonical/${one}/merge?with=${two}`)).status).toBe(409)
    expect((await merge(one, await idOf('sun satellites · melt'), ana, 'some' as never)).status).toBe(422)
    const body = { part: 'subject', members: ['sun satellites'] }
    expect((await split(one, body)).body.detail).toBe(DETAILS.mergedHere)
    expect((await undo(decision)).status).toBe(200)
    expect((await split(one, body)).status).toBe(422)
    expect(await history()).toHaveLength(1)
  })

  it('is followed by a merge in all narratives', async () => {
    await postText(spread)
    await cluster()
    const [one, two] = [await idOf('giant mirrors · heat'), await idOf('sun satellites · heat')]
    await narrow(one, two)
    const wide = await merge(one, await idOf('sun satellites · melt'))
    expect(wide.status).toBe(200)
    expect(await shown()).toHaveLength(2)
    expect(await detail(wide.body.id)).toMatchObject({ sentences: 3, subject: { members: 2 } })
  })
})

describe('the clusters', () => {
  it('are equal for the same texts in any order, and for another user', { tags: 'long' }, async () => {
    const texts = [
      [heat(), heat('the mirrors'), triplet('World Health Organization', 'hides', 'the truth')],
      [triplet('WHO', 'is hiding', 'truth'), heat('mirrors', 'did not heat')],
      [triplet('the lake Varnel', 'was heated by', 'giant mirrors')],
      [triplet('giant mirrors', 'may heat', 'lake Varnel'), heat('big giant mirrors')],
    ]
    const bob = await server.user('bob')
    for (const text of texts) await postText(text)
    for (const text of texts.toReversed()) await postText(text.toReversed(), { who: bob })
    await cluster()
    await cluster(bob)
    const summary = async (who: User) =>
      (await list({}, who)).map(({ id, subject, verb, object, sentences }) => [
        id,
        subject,
        verb,
        object,
        sentences,
      ])
    expect(await summary(bob)).toEqual(await summary(ana))
    const verbs = (await list()).map(each => each.verb.label)
    expect(verbs).toEqual(expect.arrayContaining(['did not heat', 'may heat']))
  })

  it('are paged by reach, in the same order as the whole list', async () => {
    for (let n = 1; n <= 4; n++)
      await postText(
        Array.from({ length: 6 }, (_, k) => triplet(`subject${k}`, 'says', `object${k % (n + 1)}q`)),
        { src: `https://example.org/${n}` },
      )
    await cluster()
    const all = await list({ limit: 500 })
    const reaches = all.map(({ sentences, sources }) => sentences * Math.max(1, sources))
    expect(reaches).toEqual(reaches.toSorted((a, b) => b - a))
    const paged: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path: string = `/narratives/canonical?limit=2${cursor && `&cursor=${cursor}`}`
      const { body, headers } = await ana.api.send('GET', path)
      expect(headers.get('x-total-count')).toBe(String(all.length))
      paged.push(...(body as CanonicalNarrative[]).map(({ id }) => id))
      cursor = headers.get('x-next-cursor')
    }
    expect(paged).toEqual(all.map(({ id }) => id))
  })

  it('of 5,000 triplets are stored and read', { tags: 'long' }, async () => {
    const user_id = new Types.ObjectId(ana.id)
    const triplets = (n: number) =>
      Array.from({ length: 200 }, (_, k) => ({
        id: n * 200 + k,
        ...triplet(`actor ${n} number${k}`, `verb${k}s`, `place ${(n * 7 + k) % 997}`),
        cite: { start: 0, end: 5, score: 1 },
      }))
    await server.store.narratives.insertMany(
      Array.from({ length: 25 }, (_, n) => ({
        user_id,
        text: 'Many.',
        src: null,
        created_at: new Date(),
        state: 'done',
        open_key: `many ${n}`,
        triplets: triplets(n),
        graph: new Types.ObjectId(),
      })),
    )
    await server.store.canon.create({ _id: user_id, texts: 1 })
    expect((await work()).triplets).toHaveLength(5_000)
    expect(await cluster()).toBe(true)
    expect((await ana.api.send('GET', '/narratives/canonical?limit=1')).headers.get('x-total-count')).toMatch(
      /^\d+$/,
    )
  })
})

describe('others', () => {
  it('can read, not change, the narratives of a user with a public profile, without texts', async () => {
    await postText(LAKES, { src: 'https://a.example' })
    await cluster()
    const id = await idOf('giant mirrors')
    const bob = await server.user('bob')
    const path = (rest = '') => `/narratives/canonical${rest}?user_id=${ana.id}`
    expect((await bob.api.send('GET', path())).status).toBe(404)
    expect((await bob.api.send('GET', path(`/${id}`))).status).toBe(404)
    profiles.set(ana.id, 'ana')
    const seen = await bob.api.send('GET', path())
    expect((seen.body as CanonicalNarrative[]).map(labelsOf)).toEqual(await shown())
    expect((await bob.api.send('GET', path(`/${id}`))).body).toEqual(await detail(id))
    expect((await bob.api.send('GET', path(`/${id}/sentences`))).status).toBe(404)
    expect((await ana.api.send('GET', path(`/${id}/sentences`))).status).toBe(200)
    expect((await merge(id, await idOf('sun satellites'), bob)).status).toBe(404)
    expect((await split(id, { part: 'subject', members: ['giant mirrors'] }, bob)).status).toBe(404)
    const merged = await merge(id, await idOf('sun satellites'))
    expect((await undo(merged.body.decision, bob)).status).toBe(404)
    expect(await history(bob)).toEqual([])
    expect((await bob.api.send('GET', `/narratives/canonical?user_id=${newId()}`)).status).toBe(404)
  })

  it('see narratives of at least three users with a public profile', async () => {
    const users = await Promise.all(['one', 'two', 'three', 'four'].map(name => server.user(name)))
    for (const [n, who] of users.entries()) {
      await postText(
        [
          triplet(n === 1 ? 'The gull' : 'Gulls', n === 2 ? 'are counting' : 'count', 'tides'),
          triplet(`Loner ${'x'.repeat(n + 4)}`, 'counts', 'tides'),
          triplet('Crabs', 'eat', 'sand'),
        ],
        { who },
      )
      await cluster(who)
    }
    for (const { id } of users.slice(0, 2)) profiles.set(id, `user_${id}`)
    const all = async () => {
      const { body } = await ana.api.send('GET', '/narratives/canonical?scope=all&q=gull')
      return (body as CanonicalNarrative[]).map(each => [each.owners, each.sentences])
    }
    // The first request in this file: results are cached for a minute.
    for (const { id } of users.slice(2, 3)) profiles.set(id, `user_${id}`)
    expect(await all()).toEqual([[3, 3]])
    const { body } = await ana.api.send('GET', '/narratives/canonical?scope=all')
    expect(JSON.stringify(body)).not.toContain('Loner')
    const path = '/narratives/canonical?scope=all&limit=1'
    const first = await ana.api.send('GET', path)
    const [owners, sentences, id] = Buffer.from(first.headers.get('x-next-cursor') ?? '', 'base64url')
      .toString()
      .split('.')
    expect(id).toBe(first.body[0].id)
    const rest = (body as CanonicalNarrative[]).slice(1)
    // The narrative of the second cursor is not in the list.
    for (const last of [id, `${id?.slice(0, -1)}f`]) {
      const cursor = Buffer.from(`${owners}.${sentences}.${last}`).toString('base64url')
      const next = await ana.api.send('GET', `${path}&cursor=${cursor}`)
      expect([next.status, (next.body as CanonicalNarrative[]).at(-1)?.id]).toEqual([200, rest.at(-1)?.id])
    }
    expect((await ana.api.send('GET', `${path}&cursor=nonsense`)).status).toBe(422)
  })
})

describe('the graph', () => {
  const graph = (query: object) => ana.api.call(graphApi.getTriplets, { query: query as never })

  it('with merged variants has clusters as nodes, with their texts', async () => {
    await postText([heat(), heat('the giant mirrors', 'heated')], { src: 'https://a.example' })
    await postText([triplet('Lake Varnel', 'is heated by', 'giant mirrors')])
    await cluster()
    for (const limit of [undefined, 100]) {
      const plain = await graph({ ...(limit && { limit }) })
      expect(plain.nodes).toHaveLength(6)
      const { nodes, links, sources, totals } = await graph({ canonical: 'true', ...(limit && { limit }) })
      expect(nodes.map(({ id, count }) => [id, count]).toSorted()).toEqual([
        ['entity:giant mirrors', 3],
        ['entity:lake varnel', 3],
        ['verb:heat', 3],
      ])
      expect(links.map(({ source, target, count }) => [source, target, count]).toSorted()).toEqual([
        ['entity:giant mirrors', 'verb:heat', 3],
        ['verb:heat', 'entity:lake varnel', 3],
      ])
      expect(sources).toEqual(['https://a.example'])
      if (limit) expect(totals).toEqual({ entities: 2, verbs: 1, nodes: 3, links: 2 })
    }
    const texts = async (from: string, to: string, canonical: string) =>
      (await ana.api.send('GET', `/graph/texts?from=${from}&to=${to}&canonical=${canonical}`)).body as {
        sentence: string
      }[]
    const [passive, active] = await texts('entity:giant mirrors', 'verb:heat', 'true')
    expect(passive?.sentence).toContain('Lake Varnel is heated by giant mirrors.')
    expect(active?.sentence).toContain('giant mirrors heat Lake Varnel.')
    expect(await texts('verb:heat', 'entity:lake varnel', 'true')).toHaveLength(2)
    expect(await texts('entity:giant mirrors', 'verb:heat', 'false')).toHaveLength(1)
    const mentions = await ana.api.send('GET', '/graph/mentions?node=entity:giant mirrors&canonical=true')
    expect((mentions.body as { triplets: unknown[] }[]).map(({ triplets }) => triplets.length)).toEqual([
      1, 2,
    ])
  })
})

describe('the data', () => {
  const exported = async () =>
    (await server.internal(personalDataInternal.exportUser, { params: { id: ana.id } })) as {
      kind: string
    }[]

  it('of a user are exported, and deleted with the account', async () => {
    await postText(LAKES)
    await cluster()
    const merged = await merge(await idOf('giant mirrors'), await idOf('sun satellites'))
    await merge(merged.body.id, await idOf('Nobody'), ana, 'narrative')
    const all = await exported()
    expect(all).toContainEqual(
      expect.objectContaining({
        kind: 'canonical_decision',
        data: expect.objectContaining({ narrative: expect.anything() }),
      }),
    )
    const kinds = new Set(all.map(({ kind }) => kind))
    for (const kind of ['canonical_rule', 'canonical_decision', 'canonical_label'])
      expect(kinds).toContain(kind)
    const late = await work()
    await server.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
    expect(await exported()).toEqual([])
    expect(await finish(late)).toBe(false)
    const { canon, canonMembers, canonRules, canonDecisions, canonShared } = server.store
    const user_id = new Types.ObjectId(ana.id)
    for (const model of [canonMembers, canonRules, canonDecisions, canonShared] as {
      exists: typeof canonMembers.exists
    }[])
      expect(await model.exists({ user_id })).toBeNull()
    expect(await canon.findById(user_id)).toBeNull()
    expect((await undo(merged.body.decision)).status).toBe(404)
  })

  it('are clustered although Redis lost the job', { tags: 'long' }, async () => {
    const queue = server.service.queues.queue('canon')
    const waiting = async () =>
      (await queue.getJobs(['delayed', 'wait'])).some(job => job.data.user_id === ana.id)
    await postText([heat()])
    await vi.waitFor(async () => expect(await waiting()).toBe(true), 30_000)
    await server.service.redis.flushall()
    expect(await waiting()).toBe(false)
    await server.drain()
    expect(await waiting()).toBe(true)
    await cluster()
    await server.drain()
    expect(
      await server.service.mongo.collection('outbox').countDocuments({ kind: 'canon', key: ana.id }),
    ).toBe(0)
  })
})
