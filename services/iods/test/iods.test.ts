import {
  CATEGORIES,
  communityInternal,
  DETAILS,
  DONE,
  foldText,
  type Iod,
  iodsApi,
  iodsInternal,
  personalDataInternal,
  SOURCE_TYPES,
} from '@iodine/contracts'
import { HttpError, readConfig, type StoreService, usersVersionKey } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type FixtureUser,
  internalClient,
  iodInput,
  isLongTier,
  newId,
  runs,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp, iodsConfigSchema } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let api: ApiClient

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(readConfig(iodsConfigSchema, fixture.env), fixture.deps)
  url = await fixture.listen(service)
  ana = await fixture.user('ana')
  api = apiClient(url, ana.token)
})
afterAll(() => fixture?.stop())

const create = (fields: Parameters<typeof iodInput>[0] = {}, client = api): Promise<Iod> =>
  client.call(iodsApi.createIod, { body: iodInput(fields) })

describe('creating', () => {
  it('answers 201 with the whole IOD and the creator’s name', async () => {
    const input = iodInput({ source: 'https://example.org/post', category: 'KEYWORDS', description: '' })
    const answer = await api.send('POST', '/iods/', input)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      ...input,
      source_id: null,
      created_by: 'ana',
      created_by_id: ana.id,
      created_by_username: 'ana',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      votes: [],
      comments: [],
    })
    expect(await api.call(iodsApi.listIods)).toContainEqual(answer.body)
  })

  it('returns a null name for a creator without a username', async () => {
    const nobody = await fixture.user()
    const iod = await create({}, apiClient(url, nobody.token))
    expect(iod).toMatchObject({ created_by: null, created_by_username: null, created_by_id: nobody.id })
  })

  it('stores text as sent', async () => {
    const value = '  \u202eנסתר\u0007 <script>alert(1)</script> $ne {"$gt":""}\n '
    expect((await create({ value, description: '\t' })).value).toBe(value)
  })

  it.each([
    [{ value: ' \n\t ' }, 'value: must not be empty'],
    [{ value: 'x'.repeat(10_001) }, 'value: must have at most 10000 characters'],
    [{ value: { $ne: null } }, /^value: /],
    [{ category: 'PLANET' }, /^category: /],
    [{ source_type: 'WEB' }, /^source_type: /],
    [{ description: undefined }, /^description: /],
    [{ source: 'javascript:alert(1)' }, 'source: must be an http(s) URL or a plain path'],
    [{ source: ' data:text/html,x' }, 'source: must be an http(s) URL or a plain path'],
    [{ source: 'file:///etc/passwd' }, 'source: must be an http(s) URL or a plain path'],
    [{ source_id: 7 }, 'source_id: requires the source type NARRATIVES'],
    [{ source_id: 1.5, source_type: 'NARRATIVES' }, /^source_id: /],
    [{ votes: [] }, 'votes: is not a known field'],
    [{ created_by: newId() }, 'created_by: is not a known field'],
  ])('rejects an invalid field (%#)', async (fields, fault) => {
    const { status, body } = await api.send('POST', '/iods', { ...iodInput(), ...fields })
    expect(status).toBe(422)
    expect(body.detail).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)])
  })

  it('takes a safe integer as the source_id of a narrative', async () => {
    const iod = await create({ source_type: 'NARRATIVES', source_id: Number.MAX_SAFE_INTEGER })
    expect(iod.source_id).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('rejects malformed bodies, oversize bodies and other content types', async () => {
    expect((await api.send('POST', '/iods', '{"value":')).status).toBe(400)
    expect((await api.send('POST', '/iods', iodInput({ value: 'a\0b' }))).status).toBe(422)
    expect((await api.send('POST', '/iods', `{"value":"${'\\ud800'}"}`)).status).toBe(422)
    expect((await api.send('POST', '/iods', 'x'.repeat(1_048_577))).status).toBe(413)
    expect((await api.send('POST', '/iods', 'a=1', { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

describe('duplicates', () => {
  it('rejects the same value in the same category, regardless of case, Unicode form and outer space', async () => {
    const value = `Caf\u00e9 ${newId()}`
    await create({ value, category: 'TITLE' })
    for (const same of [value, ` ${value.toUpperCase()}\n`, value.normalize('NFD')]) {
      const { status, body } = await api.send('POST', '/iods', iodInput({ value: same, category: 'TITLE' }))
      expect([status, body]).toEqual([409, { detail: DETAILS.duplicateIod }])
    }
    expect((await create({ value, category: 'KEYWORDS' })).value).toBe(value)
  })

  it('distinguishes long values by their last character', async () => {
    const value = 'é'.repeat(9_990) + newId().slice(0, 9)
    await create({ value: `${value}a` })
    await create({ value: `${value}b` })
    expect((await api.send('POST', '/iods', iodInput({ value: `${value}B` }))).status).toBe(409)
  })

  it('accepts one of 50 concurrent creations', { tags: 'long' }, async () => {
    const input = iodInput()
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.send('POST', '/iods', input)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 409)])
  })
})

describe('search', () => {
  const hostile = [
    '(a+)+$',
    '[',
    '\\',
    '$ne',
    '.*',
    '^',
    'a|b',
    '{"$gt":""}',
    '%00',
    '??',
    '-',
    '/x/i',
    '\u202e',
    '😀',
    'ß',
    '中文',
    'İ',
    "' OR 1=1",
  ]

  it('finds each hostile text literally', async () => {
    const mark = newId()
    for (const text of hostile) await create({ value: `${mark} ${text} end`, description: '' })
    for (const text of hostile) {
      const found = await api.call(iodsApi.listIods, { query: { q: `${mark} ${text} END` } })
      expect(found.map(({ value }) => value)).toEqual([`${mark} ${text} end`])
      for (const limit of ['5', '1']) {
        const { status, body } = await api.send('GET', `/iods?q=${encodeURIComponent(text)}&limit=${limit}`)
        expect(status).toBe(200)
        for (const { value, description } of body)
          expect(foldText(`${value}\n${description}`)).toContain(foldText(text))
        expect(body.length).toBeGreaterThan(0)
      }
    }
  })

  it('applies Unicode case folding, and refangs URLs', async () => {
    const mark = newId()
    const values = [
      'Η ΠΡΟΣΒΟΛΗ',
      'Die Straße',
      'in\u00advisible',
      'https://evil.example/a',
      'as hxxps://bad[.]example',
    ]
    const made = await Promise.all(
      values.map(value => create({ value: `${mark} ${value}`, description: '' })),
    )
    const found = async (q: string) =>
      (await api.call(iodsApi.listIods, { query: { q: `${mark} ${q}` } })).map(({ id }) => id)
    for (const [q, n] of [
      ['η προς', 0],
      ['Η ΠΡΟΣ', 0],
      ['DIE STRASSE', 1],
      ['die straẞe', 1],
      ['Invisi\u200bble', 2],
      ['hxxps[:]//evil[.]example/A', 3],
      ['HXXPS://EVIL(.)EXAMPLE', 3],
      ['https://evil[dot]example', 3],
      ['as hxxps://bad[.]example', 4],
    ] as const)
      expect([q, await found(q)]).toEqual([q, [made[n]?.id]])
    expect((await api.send('GET', `/iods/facets?q=${mark}%20hxxps://evil[.]example`)).body.total).toBe(1)
    const create409 = await api.send('POST', '/iods', iodInput({ value: `${mark} DIE STRASSE\u200f` }))
    expect(create409.status).toBe(409)
    for (const value of ['\u200b', '\u200e\ufeff\u3164'])
      expect((await api.send('POST', '/iods', iodInput({ value }))).status).toBe(422)
    expect((await api.send('GET', '/iods?q=%E2%80%8B&limit=1')).status).toBe(200)
  })

  it('searches descriptions, ignores case and Unicode form, and never spans value and description', async () => {
    const mark = newId()
    const iod = await create({ value: `${mark}abc`, description: `def${mark} Élan` })
    for (const q of [`${mark}ABC`, `DEF${mark}`, `${mark} \u0065\u0301lan`])
      expect((await api.call(iodsApi.listIods, { query: { q } })).map(({ id }) => id)).toEqual([iod.id])
    for (const q of [`${mark}abcdef`, `${mark}abc def`, `${mark}abc\ndef`])
      expect(await api.call(iodsApi.listIods, { query: { q } })).toEqual([])
  })

  it('finds a text deep inside a value of 10,000 different characters', async () => {
    const points = Array.from({ length: 9_900 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')
    const mark = newId()
    const iod = await create({ value: `${points}${mark}Z`, description: '' })
    for (const q of [`${mark}z`, points.slice(5_000, 5_040), points.slice(7_000, 7_002)]) {
      const found = await api.call(iodsApi.listIods, { query: { q, limit: '10' } })
      expect(found.map(({ id }) => id)).toEqual([iod.id])
    }
  })

  it('finds a value by all its 10,000 characters', async () => {
    const value = newId().repeat(417).slice(0, 10_000)
    const iod = await create({ value })
    const found = await api.send('GET', `/iods?q=${value.toUpperCase()}`)
    expect(found.body.map(({ id }: Iod) => id)).toEqual([iod.id])
    expect((await api.send('GET', `/iods/facets?q=${value}`)).body.total).toBe(1)
  })

  it('finds a value of 10,000 characters that take 40,000 bytes', async () => {
    const value = `${newId()}${'🜁🜂🜃🜄'.repeat(2_600)}`.slice(0, 19_900)
    const iod = await create({ value: [...value].slice(0, 9_990).join(''), description: '' })
    const found = await api.call(iodsApi.listIods, { query: { q: iod.value } })
    expect(found.map(({ id }) => id)).toEqual([iod.id])
  })

  it('finds IODs of another process at once, and counts them in repeated searches', async () => {
    const other = await createApp(readConfig(iodsConfigSchema, fixture.env), fixture.deps)
    try {
      const there = apiClient(await other.listen(), ana.token)
      const mark = newId()
      const ids: string[] = []
      for (const client of [api, there, there, api, there]) {
        ids.unshift((await create({ value: `${mark} ${ids.length}` }, client)).id)
        for (const reader of [there, api]) {
          const { body, headers } = await reader.send('GET', `/iods?q=${mark}&limit=9`)
          expect(body.map(({ id }: Iod) => id)).toEqual(ids)
          expect(headers.get('x-total-count')).toBe(String(ids.length))
        }
      }
    } finally {
      await other.close()
    }
  })

  it("anonymizes a deleted user's IODs and votes in every process, and still counts them", async () => {
    const other = await createApp(readConfig(iodsConfigSchema, fixture.env), fixture.deps)
    try {
      const there = apiClient(await other.listen(), ana.token)
      const cy = await fixture.user('cy_leaves')
      const iod = await create({}, apiClient(url, cy.token))
      const { id: theirs } = await create()
      for (const id of [iod.id, theirs])
        for (const token of [cy.token, ana.token])
          await apiClient(url, token).send('POST', `/iods/${id}/vote`, { vote_type: 'POSITIVE' })
      const total = async (query: string) => (await there.send('GET', `/iods/facets?${query}`)).body.total
      const before = await total('')
      expect(await total(`created_by=${cy.id}`)).toBe(1)
      const params = { id: cy.id }
      const guess = internalClient(url, 'guess')
      await expect(guess(personalDataInternal.eraseUser, { params })).rejects.toMatchObject({ status: 404 })
      for (let times = 0; times < 2; times++)
        await fixture.internal(personalDataInternal.eraseUser, { params })
      expect([await total(''), await total(`created_by=${cy.id}`)]).toEqual([before, 0])
      for (const client of [api, there]) {
        const { body } = await client.send('GET', '/iods?limit=2')
        expect(body).toMatchObject([
          { id: theirs, created_by_id: ana.id },
          { id: iod.id, created_by: null, created_by_id: null, created_by_username: null },
        ])
        for (const { votes } of body as Iod[])
          expect(votes.map(({ user_id }) => user_id)).toEqual([null, ana.id])
      }
      expect(JSON.stringify(await service.mongo.collection('iods').find().toArray())).not.toContain(cy.id)
    } finally {
      await other.close()
    }
  })

  it('rejects NUL and too long texts with 422', async () => {
    expect((await api.send('GET', '/iods?q=a%00b')).status).toBe(422)
    expect((await api.send('GET', `/iods?q=${'a'.repeat(10_001)}`)).status).toBe(422)
    for (const letter of ['(', '\u044f', '\u6f22', '\u{1f600}']) {
      const ask = (n: number) => api.send('GET', `/iods?q=${encodeURIComponent(letter.repeat(n))}`)
      expect((await ask(10_000)).status).toBe(200)
      expect(await ask(10_001)).toMatchObject({
        status: 422,
        body: { detail: ['q: must have at most 10000 characters'] },
      })
    }
    expect((await api.send('GET', '/iods?q[$ne]=1')).status).toBe(422)
    // Half of a surrogate pair, a combining mark alone, one letter.
    for (const q of ['%ED%A0%80', '%CC%81', '%F0%9F%98%80', 'z'])
      expect((await api.send('GET', `/iods?limit=5&q=${q}`)).status).toBe(200)
    const creators = Array.from({ length: 101 }, (_, n) => `created_by=a${n}`).join('&')
    expect((await api.send('GET', `/iods?${creators}`)).body).toEqual({
      detail: ['created_by: must be given at most 100 times'],
    })
    expect((await api.send('GET', '/iods?q=a&q=b')).status).toBe(422)
  })
})

describe('counts for campaigns', () => {
  it('contain IODs by kind, all votes and comments, without unknown ids', async () => {
    const made: Iod[] = []
    for (const category of ['URL', 'HASH', 'URL'] as const) made.push(await create({ category }))
    const voters = await Promise.all(Array.from({ length: 4 }, () => fixture.user()))
    for (const [n, { token }] of voters.entries())
      for (const { id } of made.slice(0, 1 + (n % 3)))
        await apiClient(url, token).send('POST', `/iods/${id}/vote`, { vote_type: 'POSITIVE' })
    await api.send('POST', `/iods/${made[0]?.id}/comments`, { content: 'Seen' })
    const ids = [...made.map(({ id }) => id), newId()]
    expect(await fixture.internal(iodsInternal.countIods, { body: { ids } })).toEqual({
      categories: { URL: 2, HASH: 1 },
      source_types: { [made[0]?.source_type ?? '']: 3 },
      votes: 7,
      comments: 1,
    })
  })
})

describe('votes', () => {
  it('are accepted once per user, and return the full IOD', async () => {
    const bo = await fixture.user('bo')
    const { id } = await create()
    const first = await api.send('POST', `/iods/${id}/vote`, { vote_type: 'NEGATIVE' })
    expect(first.status).toBe(200)
    const mine = {
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      user_id: ana.id,
      username: 'ana',
      vote_type: 'NEGATIVE',
      created_at: expect.any(String),
    }
    expect(first.body).toMatchObject({ id, created_by: 'ana', votes: [mine] })
    const again = await api.send('POST', `/iods/${id}/vote`, { vote_type: 'POSITIVE' })
    expect([again.status, again.body]).toEqual([409, { detail: DETAILS.alreadyVoted }])
    const other = await apiClient(url, bo.token).call(iodsApi.voteIod, {
      params: { id },
      body: { vote_type: 'POSITIVE' },
    })
    expect(other.votes).toMatchObject([mine, { user_id: bo.id, username: 'bo', vote_type: 'POSITIVE' }])
  })

  it('are stored once per user, of 50 at once by 25 users', {
    tags: 'long',
    timeout: runs(2) * 60_000,
  }, async () => {
    const users = await Promise.all(Array.from({ length: 25 }, (_, n) => fixture.user(`voter_${n}`)))
    for (let round = 0; round < runs(2); round++) {
      const { id } = await create()
      const answers = await Promise.all(
        [...users, ...users].map(({ token }, n) =>
          apiClient(url, token).send('POST', `/iods/${id}/vote`, {
            vote_type: n % 2 ? 'POSITIVE' : 'NEGATIVE',
          }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([
        ...Array(25).fill(200),
        ...Array(25).fill(409),
      ])
      const [iod] = await fixture.internal(iodsInternal.getIods, { body: { ids: [id] } })
      const kept = iod?.votes.map(vote => `${vote.user_id} ${vote.vote_type}`)
      const told = answers.flatMap(({ status }, n) =>
        status === 200 ? [`${users[n % 25]?.id} ${n % 2 ? 'POSITIVE' : 'NEGATIVE'}`] : [],
      )
      expect(kept?.sort()).toEqual(told.sort())
      expect(new Set(told.map(vote => vote.slice(0, 24))).size).toBe(25)
    }
  })

  it('answer 404 for unknown and malformed ids, 422 for unknown kinds of votes', async () => {
    for (const id of [newId(), 'x', '1'.repeat(24), '%20'])
      expect((await api.send('POST', `/iods/${id}/vote`, { vote_type: 'POSITIVE' })).status).toBe(404)
    const { id } = await create()
    for (const body of [{}, { vote_type: 'UP' }, { vote_type: 'POSITIVE', user_id: newId() }, []])
      expect((await api.send('POST', `/iods/${id}/vote`, body)).status).toBe(422)
  })
})

describe('hashtags', () => {
  it('are equal with and without their sign, and keep their stored value', async () => {
    const [tag, word] = [`Mirror${newId()}`, `Lake${newId()}`]
    const create = (value: string, category = 'HASHTAGS') =>
      api.send('POST', '/iods', iodInput({ value, category: category as never }))
    const found = async (...values: string[]) =>
      (await api.call(iodsApi.lookupIods, { body: { values } })).map(each => [each.category, each.value])
    expect((await create(`#${tag}`)).body.value).toBe(`#${tag}`)
    expect((await create(tag)).status).toBe(409)
    expect((await create(` ##${tag.toUpperCase()} `)).status).toBe(409)
    expect((await create(word)).status).toBe(201)
    expect((await create(`#${word}`)).status).toBe(409)
    for (const value of [tag, `#${tag}`]) expect(await found(value)).toEqual([['HASHTAGS', `#${tag}`]])
    // In other categories the sign is a part of the value.
    expect((await create(`#${tag}`, 'KEYWORDS')).status).toBe(201)
    expect((await create(tag, 'KEYWORDS')).status).toBe(201)
    expect(await found(tag)).toEqual([
      ['KEYWORDS', tag],
      ['HASHTAGS', `#${tag}`],
    ])
    expect(await found(`#${tag}`)).toEqual([
      ['KEYWORDS', `#${tag}`],
      ['HASHTAGS', `#${tag}`],
    ])
  })
})

describe('lookup', () => {
  it('finds values trimmed and folded, in every category', async () => {
    const value = `Lookup ${newId()}`
    const a = await create({ value, category: 'TITLE' })
    const b = await create({ value: value.toUpperCase(), category: 'COMPANY' })
    await create({ value: `${value}!` })
    const found = await api.call(iodsApi.lookupIods, {
      body: { values: [` ${value.toLowerCase()} `, 'unknown', '', ' '] },
    })
    expect(found.map(({ id }) => id)).toEqual([b.id, a.id])
    expect(found[0]).toMatchObject({ created_by: 'ana', votes: [] })
  })

  it('accepts at most 1,000 values', async () => {
    const values = Array.from({ length: 1_000 }, (_, n) => `nothing ${n}`)
    expect(await api.call(iodsApi.lookupIods, { body: { values } })).toEqual([])
    expect((await api.send('POST', '/iods/lookup', { values: [...values, 'x'] })).status).toBe(422)
    expect(await api.call(iodsApi.lookupIods, { body: { values: [] } })).toEqual([])
  })
})

describe('comparison of texts with IODs', () => {
  it('finds an IOD in a text, URL or hashtag, that was created up to the time', async () => {
    const { value, created_at } = await create({ value: `Phrase ${newId()}`, category: 'TITLE' })
    const { value: tag } = await create({ value: `#t${newId()}`, category: 'HASHTAGS' })
    const now = new Date().toISOString()
    const before = new Date(Date.parse(created_at) - 1).toISOString()
    const entries = [
      { texts: ['nothing', `It says: ${value.toUpperCase()}, twice`], until: now },
      { texts: ['nothing', `It says: ${value}`], until: before },
      { texts: [`It says: ${value}`], until: created_at },
      { texts: ['', tag.slice(1)], until: now },
      { texts: ['nothing'], until: now },
      { texts: [], until: now },
    ]
    expect(await fixture.internal(iodsInternal.containIods, { body: { entries } })).toEqual([
      true,
      false,
      true,
      true,
      false,
      false,
    ])
  })
})

describe('one IOD', () => {
  it('is read by its id, with the same content as in lists', async () => {
    const made = await create({ source: 'posts/one' })
    await api.call(iodsApi.voteIod, { params: { id: made.id }, body: { vote_type: 'POSITIVE' } })
    const [listed] = await api.call(iodsApi.listIods, { query: { source: 'posts/one' } })
    expect(await api.call(iodsApi.getIod, { params: { id: made.id } })).toEqual(listed)
    expect((await api.send('GET', `/iods/${made.id.toUpperCase()}`)).body).toEqual(listed)
    expect(listed).toMatchObject({ id: made.id, votes: [{ vote_type: 'POSITIVE', username: 'ana' }] })
  })

  it('answers 404 for unknown and malformed ids', async () => {
    for (const id of [newId(), 'x', '1'.repeat(25), '%00', '%20', '..%2f'])
      expect(await api.send('GET', `/iods/${id}`)).toMatchObject({
        status: 404,
        body: { detail: DETAILS.notFound },
      })
  })
})

describe('IODs of a source', () => {
  const of = (source: string) => api.call(iodsApi.listIods, { query: { source } })
  const ids = (iods: Iod[]) => iods.map(({ id }) => id)

  it('have exactly that source', async () => {
    const source = `https://example.org/${newId()}?a=(.*)&b=%00$ne`
    const [first, second] = [await create({ source }), await create({ source })]
    for (const other of [`${source} `, source.toUpperCase(), source.slice(0, -1), `${source}x`, undefined])
      await create({ source: other })
    expect(ids(await of(source))).toEqual([second.id, first.id])
    expect(await of(`${source}y`)).toEqual([])
  })

  it('are found by a source of 10,000 characters, which differ in the last one', async () => {
    const long = `https://example.org/${newId()}/`.padEnd(9_999, 'x')
    const [a, b] = [await create({ source: `${long}a` }), await create({ source: `${long}b` })]
    expect(ids(await of(`${long}a`))).toEqual([a.id])
    expect(ids(await of(`${long}b`))).toEqual([b.id])
    const refused = await api.send('GET', `/iods?source=${'x'.repeat(10_001)}`)
    expect([refused.status, refused.body]).toEqual([
      422,
      { detail: ['source: must have at most 10000 characters'] },
    ])
  })

  it('are not filtered by an empty source; NUL, lists and operators are rejected', async () => {
    const { total } = (await api.send('GET', '/iods/facets')).body
    expect((await api.send('GET', '/iods/facets?source=')).body.total).toBe(total)
    for (const query of ['source=a%00b', 'source=a&source=b', 'source[$ne]=1'])
      for (const path of ['/iods', '/iods/facets'])
        expect((await api.send('GET', `${path}?${query}`)).status).toBe(422)
  })
})

describe('authorization', () => {
  it('requires a session for all routes', async () => {
    const anonymous = apiClient(url)
    for (const [method, path] of [
      ['GET', '/iods'],
      ['GET', '/iods/facets'],
      ['GET', '/iods/days'],
      ['GET', `/iods/${newId()}`],
      ['POST', '/iods'],
      ['POST', '/iods/lookup'],
      ['POST', `/iods/${newId()}/vote`],
    ] as const)
      expect((await anonymous.send(method, path)).status).toBe(401)
  })

  it('allows the collector only to create and look up', async () => {
    const collector = apiClient(url, await fixture.token({ id: ana.id, scope: 'collector' }))
    const { id, value } = await create({}, collector)
    expect(await collector.call(iodsApi.lookupIods, { body: { values: [value] } })).toHaveLength(1)
    for (const path of ['/iods', '/iods/days', `/iods/${id}`])
      expect((await collector.send('GET', path)).status).toBe(403)
    expect((await collector.send('POST', `/iods/${id}/vote`, { vote_type: 'POSITIVE' })).status).toBe(403)
  })

  it('answers 404 on internal routes without the service key', async () => {
    const guess = internalClient(url, 'guess')
    const a = await create()
    const body = { ids: [newId(), a.id] }
    expect(await fixture.internal(iodsInternal.getIods, { body })).toEqual([a])
    expect(await fixture.internal(iodsInternal.knownIods, { body })).toEqual([a.id])
    for (const endpoint of [iodsInternal.getIods, iodsInternal.knownIods])
      await expect(guess(endpoint, { body })).rejects.toMatchObject({ status: 404 })
  })
})

describe('names', () => {
  it('reflect a rename at once on old IODs and votes', async () => {
    const user = await fixture.user('before')
    const client = apiClient(url, user.token)
    const { id } = await create({}, client)
    await client.call(iodsApi.voteIod, { params: { id }, body: { vote_type: 'POSITIVE' } })
    fixture.users.set(user.id, { id: user.id, username: 'after', created_at: user.created_at })
    await service.redis.incr(usersVersionKey(fixture.env.REDIS_PREFIX ?? ''))
    const [iod] = await fixture.internal(iodsInternal.getIods, { body: { ids: [id] } })
    const now = { created_by: 'after', created_by_username: 'after', votes: [{ username: 'after' }] }
    expect(iod).toMatchObject(now)
    expect((await api.send('GET', '/iods?created_by=AFTER&limit=9')).body).toMatchObject([now])
    expect((await api.send('GET', '/iods?created_by=before&limit=9')).body).toEqual([])
  })
})

describe('a new IOD', () => {
  const waiting = () => service.mongo.collection('outbox').find().toArray()
  const told = (id: string) =>
    vi.waitFor(() => expect(fixture.events.filter(({ data }) => data.id === id)).toHaveLength(1), 30_000)
  const answerWith = (status: number) =>
    fixture.answer(communityInternal.applyEvents, () => {
      throw new HttpError(status, 'no')
    })
  afterEach(() =>
    fixture.answer(communityInternal.applyEvents, ({ body }) => {
      fixture.events.push(...body.events)
      return DONE
    }),
  )

  it('is published to the community, also while Redis is empty', async () => {
    await service.redis.flushall()
    const iod = await create()
    await told(iod.id)
    const { id, value, category, description, created_at } = iod
    expect(fixture.events.filter(({ data }) => data.id === id)).toEqual([
      { type: 'iod.created', data: { id, user_id: ana.id, value, category, description, created_at } },
    ])
    await vi.waitFor(async () => expect(await waiting()).toEqual([]), 30_000)
  })

  it('waits while the community is down, and is published once it is available', async () => {
    answerWith(503)
    const iod = await create()
    await vi.waitFor(
      async () => expect(await waiting()).toMatchObject([{ payload: { id: iod.id }, attempts: 2 }]),
      30_000,
    )
    fixture.answer(communityInternal.applyEvents, ({ body }) => {
      fixture.events.push(...body.events)
      return DONE
    })
    await told(iod.id)
  })

  it('is retried after a day when the community rejects it permanently', async () => {
    answerWith(422)
    const iod = await create()
    await vi.waitFor(
      async () => expect(await service.outbox.failed(9)).toMatchObject([{ kind: 'iod.created' }]),
      30_000,
    )
    const [entry] = await waiting()
    expect(entry?.payload).toEqual({ id: iod.id })
    expect((entry?.due_at.getTime() ?? 0) - Date.now()).toBeGreaterThan(23 * 3_600_000)
    await service.outbox.drop(String(entry?._id))
  })

  it('leaves no outbox entry when it is rejected', async () => {
    const { value, category } = await create()
    const before = fixture.events.length
    await vi.waitFor(async () => expect(await waiting()).toEqual([]), 30_000)
    expect((await api.send('POST', '/iods', iodInput({ value, category }))).status).toBe(409)
    expect(await waiting()).toEqual([])
    expect(fixture.events.length).toBeLessThanOrEqual(before + 1)
  })
})

describe('with Redis flushed', () => {
  it('every process lists new IODs at once, regardless of the version', async () => {
    const other = await createApp(readConfig(iodsConfigSchema, fixture.env), fixture.deps)
    const otherApi = apiClient(await other.listen(), ana.token)
    try {
      const listed = async (value: string) => {
        const list = await otherApi.call(iodsApi.listIods, { query: { q: value } })
        return list.map(iod => iod.value)
      }
      for (let round = 0; round < 5; round++) {
        const before = await create({ value: `before flush ${round}` })
        expect(await listed(before.value)).toEqual([before.value])
        await service.redis.flushall()
        const after = await create({ value: `after flush ${round}` })
        expect(await listed(after.value)).toEqual([after.value])
      }
    } finally {
      await other.close()
    }
  })
})

describe('concurrent requests for pages and counts', () => {
  it('receive all changes acknowledged before the request, also names, votes and totals', {
    tags: 'long',
  }, async () => {
    const word = `crowd${newId()}`
    const voter = apiClient(url, (await fixture.user()).token)
    let created = 0
    const member = async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await create({ value: `${word} ${newId()}` })
        await voter.call(iodsApi.voteIod, { params: { id }, body: { vote_type: 'POSITIVE' } })
        const least = ++created
        const [page, facets] = await Promise.all([
          api.send('GET', `/iods?limit=50&q=${word}`),
          api.send('GET', `/iods/facets?q=${word}`),
        ])
        expect([page.status, facets.status]).toEqual([200, 200])
        const shown = (page.body as Iod[]).find(iod => iod.id === id)
        expect(shown).toMatchObject({ created_by: 'ana', votes: [{ vote_type: 'POSITIVE' }] })
        expect(Number(page.headers.get('x-total-count'))).toBeGreaterThanOrEqual(least)
        expect(facets.body.total).toBeGreaterThanOrEqual(least)
      }
    }
    await Promise.all(Array.from({ length: 8 }, member))
    const last = await api.send('GET', `/iods?limit=10&q=${word}`)
    expect(last.headers.get('x-total-count')).toBe('40')
    expect(last.headers.get('x-next-cursor')).not.toBeNull()
  })

  it('are rejected only for an invalid cursor', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        api.send('GET', `/iods?limit=5${n % 2 ? '&cursor=nonsense' : ''}`),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => (n % 2 ? 422 : 200)))
  })
})

describe('lists', () => {
  const SIZE = isLongTier ? 240 : 60
  let all: Iod[]

  /** Sets the time of each IOD, by its position in the order of creation. */
  const createdAt = async (timeOf: (at: number) => Date) => {
    const iods = service.mongo.collection('iods')
    const found = await iods.find().sort({ _id: 1 }).toArray()
    await iods.bulkWrite(
      found.map(({ _id }, at) => ({
        updateOne: { filter: { _id }, update: { $set: { created_at: timeOf(at) } } },
      })),
    )
  }

  beforeEach(async () => {
    if (all) return
    const iods = service.mongo.collection('iods')
    await iods.deleteMany({})
    await service.mongo.collection('tallies').deleteMany({})
    const users = [ana, await fixture.user('Carla'), await fixture.user()]
    const words = ['alpha', 'Beta', 'gamma ray', 'delta', 'ALPHABET', 'été']
    const createNth = (n: number) => {
      const client = apiClient(url, users[n % 3]?.token)
      const value = `${words[n % 6]} ${n}`
      const description = n % 5 === 0 ? 'alpha noted' : 'plain'
      const category = CATEGORIES[(n % 11) % 4] ?? 'URL'
      const source = ['https://example.org/a', 'posts/b', undefined][(n % 13) % 3]
      return create(
        { value, description, category, source_type: SOURCE_TYPES[(n % 7) % 5] ?? 'BLOG', source },
        client,
      )
    }
    for (let n = 0; n < SIZE; n += 12)
      await Promise.all(Array.from({ length: 12 }, (_, beside) => createNth(n + beside)))
    // Many IODs created at once often share a created_at.
    await createdAt(at => new Date(Date.now() - 90_000 + (at >> 4)))
    all = await api.call(iodsApi.listIods)
  })

  const walk = async (query: string, limit: number) => {
    const seen: Iod[] = []
    let cursor = ''
    for (let page = 0; page < 300; page++) {
      const { status, body, headers } = await api.send('GET', `/iods?limit=${limit}${query}${cursor}`)
      expect(status).toBe(200)
      seen.push(...body)
      const next = headers.get('x-next-cursor')
      const total = Number(headers.get('x-total-count'))
      if (!next) return { seen, total }
      expect(body).toHaveLength(limit)
      cursor = `&cursor=${next}`
    }
    throw new Error('pages never end')
  }

  it('stream the whole list, newest first, and break ties by id', { tags: 'long' }, async () => {
    const { headers, body } = await api.send('GET', '/iods/')
    expect(body).toHaveLength(SIZE)
    expect(headers.get('x-total-count')).toBeNull()
    const order = all.map(({ created_at, id }) => `${created_at} ${id}`)
    expect(order).toEqual([...order].sort().reverse())
  })

  it.each([
    '',
    '&q=alpha',
    '&q=a',
    '&q=%C3%89T',
    '&category=TITLE&category=URL',
    '&source_type=BLOG',
    '&source=posts/b',
  ])('pages%s contain the whole list in order, also with ties', { tags: 'long' }, async query => {
    const whole = (await api.send('GET', `/iods?${query.slice(1)}`)).body as Iod[]
    for (const limit of [1, 7, 500]) {
      const { seen, total } = await walk(query, limit)
      expect(seen.map(({ id }) => id)).toEqual(whole.map(({ id }) => id))
      expect(total).toBe(whole.length)
    }
  })

  it('keep pages stable while IODs are created', { tags: 'long' }, async () => {
    const first = await api.send('GET', '/iods?limit=10')
    const extra = await create({ value: `newcomer ${newId()}` })
    const second = await api.send('GET', `/iods?limit=10&cursor=${first.headers.get('x-next-cursor')}`)
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(all.slice(0, 20).map(({ id }) => id))
    expect(second.headers.get('x-total-count')).toBe(String(SIZE + 1))
    all = [extra, ...all]
  })

  it('equals a filter of the whole list, also in facets, for every combination', {
    tags: 'long',
  }, async () => {
    const options = {
      q: [undefined, 'ALPHA', 'ray', 't', 'nothing at all', ' 1'],
      category: [undefined, ['USERNAME'], ['TITLE', 'URL'], ['COMPANY'], ['TITLE', 'TITLE']],
      source_type: [undefined, ['MANUAL'], ['TIKTOK', 'BLOG']],
      created_by: [undefined, [ana.id], ['carla'], ['ANA', 'Carla'], ['nobody_here']],
      source: [undefined, ['posts/b']],
    }
    const names = (iod: Iod) => [iod.created_by_id, iod.created_by?.toLowerCase()]
    for (const q of options.q)
      for (const category of options.category)
        for (const source_type of options.source_type)
          for (const created_by of options.created_by)
            for (const source of options.source) {
              const wanted = all.filter(
                iod =>
                  (!q || `${iod.value}\0${iod.description}`.toLowerCase().includes(q.toLowerCase())) &&
                  (!category || category.includes(iod.category)) &&
                  (!source_type || source_type.includes(iod.source_type)) &&
                  (!created_by || created_by.some(name => names(iod).includes(name.toLowerCase()))) &&
                  (!source || source.includes(iod.source ?? '')),
              )
              const query = new URLSearchParams()
              if (q) query.set('q', q)
              for (const [name, values] of Object.entries({ category, source_type, created_by, source }))
                for (const value of values ?? []) query.append(name, value)
              const page = await api.send('GET', `/iods?limit=9&${query}`)
              expect(page.body.map(({ id }: Iod) => id)).toEqual(wanted.slice(0, 9).map(({ id }) => id))
              expect(page.headers.get('x-total-count')).toBe(String(wanted.length))
              const facets = await api.send('GET', `/iods/facets?${query}`)
              const tally = (key: 'category' | 'source_type') =>
                Object.fromEntries(
                  [...new Set(wanted.map(iod => iod[key]))].map(value => [
                    value,
                    wanted.filter(iod => iod[key] === value).length,
                  ]),
                )
              expect(facets.body).toEqual({
                total: wanted.length,
                categories: tally('category'),
                source_types: tally('source_type'),
              })
            }
  })

  it('rejects the cursor of another order, and an unknown order', async () => {
    const cursorOf = async (query: string) =>
      (await api.send('GET', `/iods?limit=1${query}`)).headers.get('x-next-cursor')
    for (const [cursor, query] of [
      [await cursorOf(''), '&sort=votes'],
      [await cursorOf('&sort=disputed'), ''],
    ])
      expect(await api.send('GET', `/iods?limit=1&cursor=${cursor}${query}`)).toMatchObject({
        status: 422,
        body: { detail: ['cursor: is malformed'] },
      })
    expect((await api.send('GET', '/iods?sort=name')).status).toBe(422)
  })

  describe('sorted by votes', () => {
    /** Returns the number of votes of an IOD, and that of the smaller side. */
    const sides = (iod: Iod) => {
      const positive = iod.votes.filter(({ vote_type }) => vote_type === 'POSITIVE').length
      return { votes: iod.votes.length, disputed: Math.min(positive, iod.votes.length - positive) }
    }
    let voted: Iod[]
    beforeEach(async () => {
      if (voted) return
      const voters = await Promise.all(Array.from({ length: 6 }, () => fixture.user()))
      for (const [at, { id }] of all.entries())
        for (const [n, { token }] of voters.entries())
          if (at % 3 === 0 && n < at % 7)
            await apiClient(url, token).call(iodsApi.voteIod, {
              params: { id },
              body: { vote_type: (at >> n) % 2 ? 'POSITIVE' : 'NEGATIVE' },
            })
      voted = await api.call(iodsApi.listIods)
      expect(new Set(voted.map(iod => sides(iod).disputed)).size).toBeGreaterThan(2)
    })

    it('contain each IOD on one page', async () => {
      const wanted = voted.toSorted((a, b) => b.votes.length - a.votes.length)
      const { seen } = await walk('&sort=votes', 7)
      expect(seen.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
    })

    it.each(['votes', 'disputed'] as const)(
      'are ordered by %s, in pages and as a whole, with every kind of filter',
      { tags: 'long' },
      async sort => {
        const creator = ana.id
        for (const [query, passes] of [
          ['', () => true],
          ['&q=alpha', iod => `${iod.value} ${iod.description}`.toLowerCase().includes('alpha')],
          ['&category=TITLE&category=URL', iod => ['TITLE', 'URL'].includes(iod.category)],
          ['&source_type=BLOG', iod => iod.source_type === 'BLOG'],
          ['&source=posts/b', iod => iod.source === 'posts/b'],
          [
            `&source=posts/b&q=a&created_by=${creator}`,
            iod =>
              iod.source === 'posts/b' &&
              /a/i.test(iod.value + iod.description) &&
              iod.created_by_id === creator,
          ],
          [
            `&created_by=${creator}&category=TITLE`,
            iod => iod.created_by_id === creator && iod.category === 'TITLE',
          ],
          [
            `&created_by=${creator}&q=a`,
            iod => iod.created_by_id === creator && /a/i.test(iod.value + iod.description),
          ],
        ] as [string, (iod: Iod) => boolean][]) {
          const wanted = voted
            .filter(passes)
            .sort((a, b) => sides(b)[sort] - sides(a)[sort])
            .map(({ id }) => id)
          const whole = await api.send('GET', `/iods?sort=${sort}${query}`)
          expect(whole.body.map(({ id }: Iod) => id)).toEqual(wanted)
          for (const limit of [7, 50]) {
            const { seen, total } = await walk(`&sort=${sort}${query}`, limit)
            expect(seen.map(({ id }) => id)).toEqual(wanted)
            expect(total).toBe(wanted.length)
          }
        }
      },
    )
  })

  describe('counted by day', () => {
    type Day = { day: string; all: number; own: number }
    const DAY_MS = 24 * 3_600_000
    const countDays = async (days?: number, client = api): Promise<Day[]> =>
      client.call(iodsApi.countDays, { query: days === undefined ? {} : { days: String(days) } })
    const dayOf = (time: string | number) => new Date(time).toISOString().slice(0, 10)
    /** Counts by day from a list of all IODs. */
    const scanned = async (days: number): Promise<Day[]> => {
      const iods = await api.call(iodsApi.listIods)
      return Array.from({ length: days }, (_, n) => {
        const day = dayOf(Date.now() - (days - 1 - n) * DAY_MS)
        const those = iods.filter(iod => dayOf(iod.created_at) === day)
        return {
          day,
          all: those.length,
          own: those.filter(({ created_by_id }) => created_by_id === ana.id).length,
        }
      })
    }
    afterEach(() => void vi.useRealTimers())
    beforeEach(async () => {
      // The clock is fixed: midnight must not pass between a count and its assertion.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
      // Spread over 120 days, some of them empty.
      await createdAt(at => new Date(Date.now() - (((at * 7) % 40) * 3 + (at % 2)) * DAY_MS))
    })

    it('equal a plain count, oldest first, 30 days by default', async () => {
      const other = await createApp(readConfig(iodsConfigSchema, fixture.env), fixture.deps)
      try {
        const there = apiClient(await other.listen(), ana.token)
        for (const days of [1, 30, 90, 7])
          for (const client of [api, there])
            expect(await countDays(days, client)).toEqual(await scanned(days))
        const month = await countDays()
        expect(month).toEqual(await scanned(30))
        expect(month.some(({ all }) => all === 0)).toBe(true)
        expect(month.some(({ own, all }) => own > 0 && own < all)).toBe(true)
        await create({}, there)
        for (const client of [api, there]) expect(await countDays(2, client)).toEqual(await scanned(2))
      } finally {
        await other.close()
      }
    })
  })

  it('contain an IOD of a process with a late clock at once', async () => {
    const other = await createApp(readConfig(iodsConfigSchema, fixture.env), fixture.deps)
    const late = apiClient(await other.listen(), ana.token)
    try {
      const { total } = await api.call(iodsApi.getIodFacets)
      const mark = newId()
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 600_000 })
      const iod = await create({ value: mark }, late).finally(() => vi.useRealTimers())
      expect(Date.now() - Date.parse(iod.created_at)).toBeGreaterThan(590_000)
      for (const client of [api, late]) {
        expect(await client.call(iodsApi.listIods, { query: { q: mark } })).toEqual([iod])
        expect(await client.call(iodsApi.listIods)).toContainEqual(iod)
        expect(await client.call(iodsApi.getIodFacets)).toMatchObject({ total: total + 1 })
      }
    } finally {
      await other.close()
    }
  })

  it.each(['days=0', 'days=91', 'days=abc', 'days=1.5', 'days=-1', 'days=', 'days=1&days=2', 'from=1'])(
    'reject the count by day with %s',
    async query => {
      const { status, body } = await api.send('GET', `/iods/days?${query}`)
      expect([status, Object.keys(body)]).toEqual([422, ['detail']])
    },
  )

  it.each(['limit=0', 'limit=501', 'limit=x', 'limit=-1', 'cursor=zzz', 'category=PLANET', 'page=2'])(
    'reject %s',
    async query => {
      expect((await api.send('GET', `/iods?${query}`)).status).toBe(422)
    },
  )
})
