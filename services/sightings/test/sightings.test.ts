import { personalDataInternal, recordsInternal, sightingsInternal } from '@iodine/contracts'
import { HttpError, readConfig } from '@iodine/service-kit'
import { apiClient, commandsOf, type FixtureUser, newId } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApp, sightingsConfigSchema } from '../src/index.js'
import { aRecord, startTestServer, type TestServer } from './test-server.js'

let server: TestServer
let ana: FixtureUser
let bo: FixtureUser

beforeAll(async () => {
  server = await startTestServer({}, { monitorCommands: true })
})
afterAll(() => server?.stop())
beforeEach(async () => {
  server.sharing.clear()
  ;[ana, bo] = [await server.fixture.user('ana'), await server.fixture.user('bo')]
})

const CLAIM =
  'The ministry secretly poured silver dust into the reservoir above the valley so that nobody would notice the drought'
const COPY = CLAIM.toUpperCase().replace(' ', '\u200b  ')
const NEARLY = `${CLAIM}, they say. Pass it on before it goes`
const OTHER =
  'Tomorrow the market hall opens its doors at eight with bread, cheese and apples from all the farms around'
const DAY = (n: number) => `2026-03-${String(n).padStart(2, '0')}T10:00:00.000Z`
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)

describe('searching by text', () => {
  it('finds identical and near-identical own texts, the earliest first', async () => {
    const [copy, first, near] = await server.put(
      ana,
      { text: COPY, account: 'second', posted_at: DAY(3), fetched_at: DAY(9) },
      { text: CLAIM, account: 'first', posted_at: DAY(1), fetched_at: DAY(10) },
      { text: NEARLY, account: 'third', posted_at: DAY(4), fetched_at: DAY(11) },
      { text: OTHER },
    )
    await server.put(bo, { text: CLAIM, posted_at: '2026-02-01T00:00:00.000Z' })
    const found = await server.search(ana, { text: CLAIM })
    expect(idsOf(found)).toEqual([first, copy, near])
    expect(found.items.map(({ matches }) => matches)).toEqual([['exact'], ['exact'], ['quoted']])
    expect(found.first).toMatchObject({ id: first, account: 'first', at: DAY(1), posted_claimed: true })
    expect(found.first_seen).toMatchObject({ id: copy })
    expect(found.firsts.map(({ account, count }) => [account, count])).toEqual([
      ['first', 1],
      ['second', 1],
      ['third', 1],
    ])
    expect(found.edges).toEqual([
      { from: first, to: copy, how: 'copy', delta_s: 2 * 86_400 },
      { from: first, to: near, how: 'copy', delta_s: 3 * 86_400 },
    ])
    expect(found.counts).toMatchObject({ items: 3, accounts: 3, without_time: 0, truncated: false })
    expect(found.items[0]?.excerpt).toBe(CLAIM)
    const reworded = 'Officials hide the drought with silver dust thrown into a mountain reservoir'
    expect((await server.search(ana, { value: reworded })).first).toMatchObject({
      id: first,
      matches: ['reworded'],
    })
    expect(
      (await server.search(ana, { text: 'Snow has closed the pass between both valleys' })).items,
    ).toEqual([])
  })

  it('distinguishes quotes, parts, near copies and rewordings by the texts, and counts them', async () => {
    const [quoted, part, near, reworded] = await server.put(
      ana,
      { text: `${OTHER}. ${OTHER}. ${CLAIM.toLowerCase()}. ${NEARLY}!`, posted_at: DAY(1) },
      { text: 'Silver dust into the reservoir above the valley', posted_at: DAY(2) },
      { text: CLAIM.replace('secretly', 'has'), posted_at: DAY(3) },
      {
        text: 'Officials hide the drought with silver dust thrown into a mountain reservoir',
        posted_at: DAY(4),
      },
    )
    const expected = [
      [quoted, ['quoted']],
      [part, ['part']],
      [near, ['near']],
      [reworded, ['reworded']],
    ]
    const found = await server.search(ana, { text: CLAIM })
    expect(found.items.map(({ id, matches }) => [id, matches])).toEqual(expected)
    expect(found.counts.by_match).toMatchObject({ quoted: 1, part: 1, near: 1, reworded: 1, exact: 0 })
    const byIod = await server.search(ana, { value: CLAIM })
    expect(byIod.items.map(({ id, matches }) => [id, matches])).toEqual(expected)
    const [whole] = await server.put(ana, { text: CLAIM, posted_at: DAY(5) })
    const byRecord = await server.search(ana, { record_id: whole ?? '' })
    expect(byRecord.items.map(({ matches }) => matches)).toEqual([
      ['quoted'],
      ['part'],
      ['near'],
      ['reworded'],
      ['exact', 'post'],
    ])
  })

  it('pages without duplicates or gaps, and rejects a malformed cursor', async () => {
    const posts = Array.from({ length: 7 }, (_, n) => ({ text: CLAIM, posted_at: DAY(1 + (n % 3)) }))
    const ids = await server.put(ana, ...posts)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<TestServer['search']>> = await server.search(ana, {
        text: CLAIM,
        limit: 3,
        ...(cursor && { cursor }),
      })
      seen.push(...idsOf(page))
      expect(page.counts.items).toBe(7)
      cursor = page.next
    } while (cursor)
    expect(seen).toHaveLength(7)
    expect([...seen].sort()).toEqual([...ids].sort())
    const answer = await apiClient(server.url, ana.token).send('POST', '/sightings/search', {
      text: CLAIM,
      cursor: 'nonsense',
    })
    expect([answer.status, answer.body]).toEqual([422, { detail: ['cursor: is malformed'] }])
  })

  it('restricts the results to a time range', async () => {
    const [, second] = await server.put(
      ana,
      ...[1, 5, 9].map(day => ({ text: CLAIM, posted_at: DAY(day), fetched_at: DAY(10) })),
    )
    expect(idsOf(await server.search(ana, { text: CLAIM, since: DAY(2), until: DAY(8) }))).toEqual([second])
  })

  it('reports more than 2,000 candidates as truncated, and includes the earliest identical text', {
    tags: 'long',
  }, async () => {
    const many = Array.from({ length: 2_003 }, (_, n) => ({
      text: CLAIM,
      posted_at: new Date(Date.UTC(2026, 0, 1, 0, 0, 3_000 - n)).toISOString(),
    }))
    const ids = await server.put(ana, ...many)
    const found = await server.search(ana, { text: CLAIM, limit: 1 })
    expect(found.counts).toMatchObject({ items: 2_000, truncated: true })
    expect(found.first?.id).toBe(ids.at(-1))
  })

  it('rejects zero or two criteria, malformed ones, and too large pages', async () => {
    const { send } = apiClient(server.url, ana.token)
    for (const body of [
      {},
      { text: 'a', url: 'https://a.example' },
      { text: ' ' },
      { media: 'ab' },
      { limit: 201, text: 'a' },
    ])
      expect((await send('POST', '/sightings/search', body)).status).toBe(422)
  })
})

describe('time', () => {
  it('an edited post counts from the first fetch of its current text', async () => {
    const [edited] = await server.put(ana, { text: OTHER, posted_at: DAY(1), fetched_at: DAY(2) })
    await server.put(ana, {
      id: edited ?? '',
      key: 'same',
      text: CLAIM,
      posted_at: DAY(1),
      fetched_at: DAY(9),
    })
    const [honest] = await server.put(ana, { text: CLAIM, posted_at: DAY(5), fetched_at: DAY(6) })
    const found = await server.search(ana, { text: CLAIM })
    expect(idsOf(found)).toEqual([honest, edited])
    expect(found.items[1]).toMatchObject({
      at: DAY(9),
      posted_claimed: false,
      posted_at: DAY(1),
      edited: true,
    })
    expect(found.first).toMatchObject({ id: honest, posted_claimed: true })
  })

  it('a post whose page states an edit counts from its fetch', async () => {
    const [edited] = await server.put(ana, {
      text: CLAIM,
      posted_at: DAY(1),
      edited: true,
      fetched_at: DAY(9),
    })
    const [honest] = await server.put(ana, { text: CLAIM, posted_at: DAY(5), fetched_at: DAY(6) })
    expect(idsOf(await server.search(ana, { text: CLAIM }))).toEqual([honest, edited])
  })

  it('a post that is backdated after its collection keeps its time', async () => {
    const record = aRecord({ text: CLAIM, posted_at: DAY(5), fetched_at: DAY(6) })
    await server.put(ana, record)
    const [other] = await server.put(ana, { text: CLAIM, posted_at: DAY(3), fetched_at: DAY(6) })
    await server.put(ana, { ...record, posted_at: DAY(1), claimed_at: DAY(1), fetched_at: DAY(10) })
    const found = await server.search(ana, { text: CLAIM })
    expect(idsOf(found)).toEqual([other, record.id])
    expect(found.items[1]).toMatchObject({ at: DAY(5), posted_at: DAY(5) })
  })

  it('a post with no claimed time, or one in the future, counts from its fetch', async () => {
    const [future, none] = await server.put(
      ana,
      { text: CLAIM, posted_at: '2031-01-01T00:00:00.000Z', fetched_at: DAY(4) },
      { text: CLAIM, posted_at: null, fetched_at: DAY(2) },
    )
    const found = await server.search(ana, { text: CLAIM })
    expect(found.edges).toEqual([])
    expect(found.counts.may_be_earlier).toBe(1)
    expect(idsOf(found)).toEqual([none, future])
    expect(found.items.map(({ at, posted_claimed }) => [at, posted_claimed])).toEqual([
      [DAY(2), false],
      [DAY(4), false],
    ])
    expect(found.counts.without_time).toBe(1)
  })
})

describe('searching by links, forwards and pictures', () => {
  it('distinguishes forwards, links and copies', async () => {
    const [origin] = await server.put(ana, {
      text: CLAIM,
      url: 'https://t.me/first/1',
      account: 'first',
      posted_at: DAY(1),
    })
    const [forward, link, copy] = await server.put(
      ana,
      {
        text: CLAIM,
        posted_at: DAY(2),
        forwarded_from: { name: 'First', url: 'https://t.me/s/first/1?single' },
      },
      { text: OTHER, posted_at: DAY(3), links: ['https://www.t.me/first/1/?utm_source=x#top'] },
      { text: COPY, posted_at: DAY(4) },
    )
    const byUrl = await server.search(ana, { url: 'http://t.me/s/first/1' })
    expect(byUrl.items.map(({ id, matches }) => [id, matches])).toEqual([
      [origin, ['post']],
      [forward, ['forward']],
      [link, ['link']],
    ])
    const byRecord = await server.search(ana, { record_id: origin ?? '' })
    expect(idsOf(byRecord)).toEqual([origin, forward, link, copy])
    expect(byRecord.edges.map(({ from, to, how }) => [from, to, how])).toEqual([
      [origin, forward, 'forward'],
      [origin, link, 'link'],
      [origin, copy, 'copy'],
    ])
    expect(idsOf(await server.search(ana, { record_id: forward ?? '' }))).toContain(origin)
    expect(idsOf(await server.search(ana, { value: 'https://t.me/first/1' }))).toEqual([
      origin,
      forward,
      link,
    ])
  })

  it('does not match a clone and its named original by the claim alone; distinguishes single-page routes', async () => {
    const original = 'https://paper.example.com/1'
    const mark = newId()
    const [, clone] = await server.put(
      ana,
      { source: 'blog', account: 'paper.example.com', url: original, text: `Dust over ${mark}` },
      {
        source: 'blog',
        account: 'mirror.example.net',
        url: 'https://mirror.example.net/1',
        text: 'Another text entirely',
        names: original,
      },
    )
    const found = async (question: object) =>
      (await server.search(ana, question)).items.map(({ account }) => account)
    expect(await found({ record_id: clone as string })).toEqual(['mirror.example.net'])
    expect(await found({ url: original })).toEqual(['paper.example.com'])
    const [app] = await server.put(ana, {
      source: 'blog',
      account: 'app.example',
      url: 'https://app.example/#/a/1',
    })
    await server.put(ana, { source: 'blog', account: 'app.example', url: 'https://app.example/#/a/2' })
    expect(
      (await server.search(ana, { url: 'https://app.example/#/a/1' })).items.map(({ id }) => id),
    ).toEqual([app])
  })

  it('returns the time of a removal; a page without text is no edit', async () => {
    const text = `Something that was removed, number ${newId()}`
    const [id] = await server.put(ana, { text })
    await server.put(ana, { id: id as string, text: '', fetched_at: '2026-04-02T10:00:00.000Z' })
    await server.put(ana, {
      id: id as string,
      text,
      fetched_at: '2026-04-03T10:00:00.000Z',
      removed_at: '2026-04-04T10:00:00.000Z',
    })
    expect((await server.search(ana, { text })).items).toMatchObject([
      { id, edited: false, removed_at: '2026-04-04T10:00:00.000Z' },
    ])
  })

  it('dates an imported post by its claim, else by the import; what the collector sees replaces it', async () => {
    const text = `Something that was imported, number ${newId()}`
    const imported_at = '2026-04-05T10:00:00.000Z'
    // The file states an earlier collection than any other.
    const claimed = { text, fetched_at: '2019-01-01T00:00:00.000Z', imported_at }
    const [id = ''] = await server.put(ana, { ...claimed, posted_at: null })
    const [seen] = await server.put(ana, { text, posted_at: null, fetched_at: '2026-04-04T10:00:00.000Z' })
    const found = await server.search(ana, { text })
    expect(found.first_seen).toMatchObject({ id: seen })
    expect(found.items).toMatchObject([
      { id: seen, at: '2026-04-04T10:00:00.000Z' },
      { id, at: imported_at, fetched_at: imported_at, posted_claimed: false, imported: true },
    ])
    expect(found.items[0]).not.toHaveProperty('imported')
    await server.put(ana, { ...claimed, id, posted_at: DAY(1) })
    const imported = await server.search(ana, { text })
    expect(imported.first).toMatchObject({ id, at: DAY(1), imported: true })
    expect(imported.firsts).toMatchObject([{ id, imported: true }])
    // Collected before the import, and delivered after it.
    const collected = { text, id, posted_at: DAY(2), fetched_at: '2026-04-02T10:00:00.000Z' }
    await server.put(ana, collected)
    // A late delivery of the import changes nothing.
    await server.put(ana, { ...claimed, id, posted_at: DAY(1) })
    const { first } = await server.search(ana, { text })
    expect(first).toMatchObject({ id, at: DAY(2), fetched_at: collected.fetched_at })
    expect(first).not.toHaveProperty('imported')
  })

  it('leads a repost to its original, and keeps accounts of different platforms apart', async () => {
    const text = `Something that was reposted, number ${newId()}`
    const url = 'https://x.com/quay/status/1988800000000000101'
    const [original, repost, other] = await server.put(
      ana,
      { source: 'post', account: 'quay (x)', text, url, posted_at: DAY(1) },
      {
        source: 'post',
        account: 'lantern (x)',
        text,
        url: 'https://x.com/lantern/status/1988800000000000202',
        posted_at: DAY(2),
        forwarded_from: { name: 'quay', url: 'https://twitter.com/quay/status/1988800000000000101' },
      },
      { source: 'post', account: 'lantern (bluesky)', text, url: null, posted_at: DAY(3) },
    )
    const { first, firsts, edges } = await server.search(ana, { text })
    expect(first).toMatchObject({ id: original, source: 'post' })
    expect(edges).toContainEqual(expect.objectContaining({ from: original, to: repost, how: 'forward' }))
    expect(firsts.map(({ id }) => id)).toEqual([original, repost, other])
  })

  it('finds a post by any of its URLs, shared or defanged', async () => {
    const url = 'https://www.tiktok.com/@Lakeside.Lena/video/7423000000000000101'
    const [post] = await server.put(ana, { source: 'tiktok', url, text: OTHER, posted_at: DAY(1) })
    const [link] = await server.put(ana, {
      text: 'Look',
      posted_at: DAY(2),
      links: [`${url}?u_code=d9&share_item_id=1&_t=8`],
    })
    const shared = 'www.tiktok.com/@lakeside.lena/video/7423000000000000101?_r=1&_t=ZS-8'
    for (const question of [
      { url: `https://${shared}` },
      { url: shared },
      { value: `hxxps://${shared.replaceAll('.', '[.]')}` },
      { value: 'm.tiktok[.]com/v/7423000000000000101.html' },
    ])
      expect([question, idsOf(await server.search(ana, question))]).toEqual([question, [post, link]])
  })

  it('keeps the claimed time of a record that is reindexed by other rules', async () => {
    const record = { text: CLAIM, posted_at: DAY(1), fetched_at: DAY(9) }
    const [id = ''] = await server.put(ana, record)
    // Simulates a change of the rules: the same fetch has another text hash.
    await server.put(ana, { ...record, id, text: NEARLY })
    const { items } = await server.search(ana, { text: NEARLY })
    expect(items).toMatchObject([{ id, at: DAY(1), posted_claimed: true, edited: false }])
  })

  it('finds pictures by SHA-256, and by perceptual hash within 15 bits', async () => {
    const phash = '0f1e2d3c4b5a69788796a5b4c3d2e1f0'.repeat(2)
    /** One different bit in 15 of its 16 pieces. */
    const flipped = phash.replace(/(.{4})/g, (piece, _, at) =>
      at === 0 ? piece : (Number.parseInt(piece, 16) ^ 1).toString(16).padStart(4, '0'),
    )
    const far = flipped.replace(/^.{4}/, piece =>
      (Number.parseInt(piece, 16) ^ 1).toString(16).padStart(4, '0'),
    )
    const sha256 = 'ab'.repeat(32)
    const [same, alike, other] = await server.put(
      ana,
      { posted_at: DAY(1), media: [{ sha256, phash }] },
      { posted_at: DAY(2), media: [{ sha256: null, phash: flipped }] },
      { posted_at: DAY(3), media: [{ sha256: null, phash: far }] },
    )
    expect(idsOf(await server.search(ana, { media: phash }))).toEqual([same, alike])
    expect(idsOf(await server.search(ana, { media: sha256.toUpperCase() }))).toEqual([same])
    expect(idsOf(await server.search(ana, { value: far }))).toEqual([alike, other])
    // Pictures of one colour are not indexed.
    await server.put(ana, { media: [{ sha256: null, phash: '0'.repeat(64) }] })
    expect((await server.search(ana, { media: '0'.repeat(64) })).items).toEqual([])
  })
})

describe('changes and removals', () => {
  it('repeated calls, older versions and late calls for removed records change nothing', async () => {
    const record = aRecord({ text: CLAIM, fetched_at: DAY(5) })
    await server.put(ana, record)
    await server.put(ana, record)
    await server.put(ana, { ...record, text: OTHER, fetched_at: DAY(4) })
    const before = await server.search(ana, { text: CLAIM })
    expect(before.items).toMatchObject([{ id: record.id, edited: false }])
    await server.remove(ana, record.id)
    await server.put(ana, { ...record, fetched_at: DAY(6) })
    expect((await server.search(ana, { text: CLAIM })).items).toEqual([])
    const { status } = await apiClient(server.url, ana.token).send('POST', '/sightings/search', {
      record_id: record.id,
    })
    expect(status).toBe(404)
  })

  it('another user’s record is not found by its id', async () => {
    const [id] = await server.put(bo, { text: CLAIM, shared: 'username' })
    const { status } = await apiClient(server.url, ana.token).send('POST', '/sightings/search', {
      record_id: id,
      scope: 'shared',
    })
    expect(status).toBe(404)
  })

  it('exports and deletes only the user’s sightings', async () => {
    await server.put(ana, { text: CLAIM })
    await server.put(bo, { text: CLAIM })
    const exported = await server.fixture.internal(personalDataInternal.exportUser, {
      params: { id: ana.id },
    })
    expect(exported).toMatchObject([{ kind: 'sighting', data: { account: 'open_eyes', owner: ana.id } }])
    expect(JSON.stringify(exported)).not.toContain('sketch')
    await server.fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
    expect(
      await server.fixture.internal(personalDataInternal.exportUser, { params: { id: ana.id } }),
    ).toEqual([])
    expect((await server.search(bo, { text: CLAIM })).items).toHaveLength(1)
  })
})

describe('shared sightings', () => {
  it('shows currently shared posts of others, by username or anonymously, each post once', async () => {
    const [named, anonymous, secret] = await server.put(
      bo,
      { text: CLAIM, key: 'one', posted_at: DAY(1), fetched_at: DAY(2), shared: 'username' },
      { text: CLAIM, key: 'two', posted_at: DAY(2), fetched_at: DAY(3), shared: 'anonymous' },
      { text: CLAIM, key: 'three', posted_at: DAY(3) },
    )
    const [mine] = await server.put(ana, { text: CLAIM, key: 'one', posted_at: DAY(1), fetched_at: DAY(8) })
    expect(idsOf(await server.search(ana, { text: CLAIM }))).toEqual([mine])
    const found = await server.search(ana, { text: CLAIM, scope: 'shared' })
    expect(found.items).toMatchObject([
      { id: mine, own: true, shared_by: null },
      {
        own: false,
        shared: 'anonymous',
        shared_by: null,
        excerpt: CLAIM,
        fetched_at: '2026-03-04T00:00:00.000Z',
      },
    ])
    await server.remove(ana, mine ?? '')
    const [first] = (await server.search(ana, { text: CLAIM, scope: 'shared' })).items
    expect(first).toMatchObject({ own: false, shared: 'username', shared_by: 'bo', fetched_at: DAY(2) })
    const said = JSON.stringify(await server.search(ana, { text: CLAIM, scope: 'shared' }))
    for (const id of [named, anonymous, secret, bo.id]) expect(said).not.toContain(id)

    // Unshared at the collector; the index is not updated yet.
    server.sharing.clear()
    expect((await server.search(ana, { text: CLAIM, scope: 'shared' })).items).toEqual([])
  })

  it('an anonymous sighting without a claimed time counts from the end of the day', async () => {
    await server.put(bo, { text: CLAIM, posted_at: null, fetched_at: DAY(3), shared: 'anonymous' })
    const { items } = await server.search(ana, { text: CLAIM, scope: 'shared' })
    const end = '2026-03-04T00:00:00.000Z'
    expect(items).toMatchObject([{ at: end, fetched_at: end }])
  })

  it('needs the collector for shared sightings, not for own ones', async () => {
    await server.put(bo, { text: CLAIM, shared: 'username' })
    const [mine] = await server.put(ana, { text: CLAIM })
    const down = () => {
      throw Object.assign(new Error('down'), { statusCode: 500 })
    }
    const { endpoint, handler } = { endpoint: recordsInternal.openRecords, handler: down }
    server.fixture.answer(endpoint, handler as never)
    const { send } = apiClient(server.url, ana.token)
    expect(
      (await send('POST', '/sightings/search', { text: CLAIM, scope: 'shared' })).status,
    ).toBeGreaterThanOrEqual(500)
    const own = await send('POST', '/sightings/search', { text: CLAIM })
    expect(own.body.items).toMatchObject([{ id: mine, excerpt: null }])
  })
})

it('returns posting times from the user’s own records', async () => {
  await server.put(
    ana,
    { url: 'https://t.me/first/1', posted_at: DAY(3) },
    { url: 'https://paper.example/a', posted_at: DAY(1), fetched_at: DAY(2) },
    { url: 'https://paper.example/b', posted_at: null },
    { url: 'https://paper.example/c', posted_at: DAY(5), fetched_at: DAY(4) },
  )
  await server.put(bo, { url: 'https://paper.example/d', posted_at: DAY(1) })
  const addresses = [
    't.me/s/first/1',
    ...['a?utm_source=x', 'b', 'c', 'd'].map(at => `https://paper.example/${at}`),
  ]
  const call = (user: FixtureUser) =>
    server.fixture.internal(sightingsInternal.postedTimes, { body: { user_id: user.id, addresses } })
  expect(await call(ana)).toEqual([
    { address: 't.me/s/first/1', posted_at: DAY(3) },
    { address: 'https://paper.example/a?utm_source=x', posted_at: DAY(1) },
  ])
})

it('requests all records once for a new index, page by page, and resumes after an error', async () => {
  const { fixture, service } = server
  const outbox = service.mongo.collection('outbox')
  const isIdle = () => expect.poll(() => outbox.countDocuments(), { timeout: 30_000 }).toBe(0)
  await isIdle()
  const requested: (string | null)[] = []
  const last = 'f'.repeat(24)
  fixture.answer(recordsInternal.redeliverRecords, ({ body }) => {
    requested.push(body.after)
    if (requested.length === 2) throw new HttpError(503, 'cut off')
    return { next: body.after === null ? last : null }
  })
  const start = () => createApp(readConfig(sightingsConfigSchema, fixture.env), fixture.deps)
  // Simulates a dropped database. Two replicas start.
  await service.mongo.collection('index').deleteMany({})
  const replicas = await Promise.all([start(), start()])
  await expect.poll(() => requested, { timeout: 30_000 }).toEqual([null, last, last])
  await isIdle()
  for (const each of replicas) await each.close()
  const third = await start()
  await third.tasks.run()
  await isIdle()
  const { writes } = await commandsOf(third.mongo, async () => {
    for (const task of ['index', 'daily-snapshot']) await third.tasks.run(task)
  })
  await third.close()
  expect([requested, writes]).toEqual([[null, last, last], []])
})

it('rejects a batch above the limit', async () => {
  const records = Array.from({ length: 51 }, () => aRecord())
  const call = server.fixture.internal(sightingsInternal.putSightings, {
    body: { user_id: ana.id, records, removed: [] },
  })
  await expect(call).rejects.toMatchObject({ status: 422 })
})
