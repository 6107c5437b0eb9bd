import { createHash } from 'node:crypto'
import {
  type AuditEntry,
  auditInternal,
  type CheckedQuote,
  capturesInternal,
  DETAILS,
  type Evidence,
  evidenceApi,
  evidenceInternal,
  type Iod,
  iodsApi,
  LIMITS,
  type NewEvidence,
  narrativesInternal,
  personalDataInternal,
  type Seal,
  usageInternal,
} from '@iodine/contracts'
import { HttpError, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type FixtureUser,
  iodInput,
  newId,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp, iodsConfigSchema } from '../src/index.js'

const TEXT = 'They say so:\nGiant mirrors heat the lake 🛰, and nobody asks.'
const VALUE = 'Giant mirrors heat the lake'

interface Kept {
  owner: string
  text: string
  state: 'open' | 'sealed' | 'erased'
  shared: boolean
  seal: Seal
  url: string
}

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let bo: FixtureUser
let api: ApiClient
let boApi: ApiClient

/** Texts of the stubbed owners, by id, and the number of checked quotes of captures and records. */
const captures = new Map<string, Kept>()
const records = new Map<string, { owner: string; text: string }>()
const narratives = new Map<string, { owner: string; text: string }>()
let checks = 0
/** Services that are down. */
const down = new Set<string>()

const context = (text: string, start: number, end: number) => ({
  prefix: text.slice(Math.max(0, start - 10), start),
  suffix: text.slice(end, end + 10),
})
/** Stubs the check of a text's owner: 404 for other users, 422 when the text lacks the quote. */
const quoted = (
  kept: { owner: string; text: string } | undefined,
  { user_id, start, end, exact }: { user_id: string; start: number; end: number; exact: string },
  isShared = false,
) => {
  if (!kept || (kept.owner !== user_id && !isShared)) throw new HttpError(404, DETAILS.notFound)
  if (kept.text.slice(start, end) !== exact) throw new HttpError(422, 'exact: is not there')
  return context(kept.text, start, end)
}
const isUp = (name: string) => {
  if (down.has(name)) throw new HttpError(503, DETAILS.unavailable)
}
const NONE = { capture_id: null, manifest_hash: null, seq: null, url: null, captured_at: null }

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(readConfig(iodsConfigSchema, fixture.env), fixture.deps)
  url = await fixture.listen(service)
  ana = await fixture.user('ana')
  bo = await fixture.user('bo')
  api = apiClient(url, ana.token)
  boApi = apiClient(url, bo.token)
  fixture.answer(capturesInternal.checkQuote, ({ body }): CheckedQuote => {
    isUp('collector')
    checks++
    if (body.record) return { kind: 'record', ...NONE, ...quoted(records.get(body.record.id), body) }
    const id = body.capture_id ?? ''
    const capture = captures.get(id)
    const around = quoted(capture, body, capture?.shared)
    if (capture?.state !== 'sealed') throw new HttpError(409, 'This capture is not sealed yet')
    const { seal, url: address } = capture
    return {
      kind: 'capture',
      capture_id: id,
      manifest_hash: seal.manifest_hash,
      seq: seal.seq,
      url: address,
      captured_at: '2026-11-20T10:00:00+01:00',
      ...around,
    }
  })
  fixture.answer(capturesInternal.getSeals, ({ body }) => {
    isUp('collector')
    return body.ids.flatMap(id => {
      const capture = captures.get(id)
      if (capture?.state !== 'sealed') return []
      const { seal, shared, owner } = capture
      return { id, seal, shared, open: shared || owner === body.user_id }
    })
  })
  fixture.answer(narrativesInternal.checkQuote, ({ params, body }): CheckedQuote => {
    isUp('narratives')
    return { kind: 'narrative', ...NONE, ...quoted(narratives.get(params.id), body) }
  })
})
afterAll(() => fixture?.stop())
beforeEach(() => down.clear())

let made = 0
/** Creates a sealed capture of a user. */
const capture = (fields: Partial<Kept> = {}): string => {
  const id = newId()
  const seal: Seal = {
    seq: made++,
    manifest_hash: createHash('sha256').update(id).digest('hex'),
    received_at: '2026-11-20T10:00:01.000Z',
    salt: 'c2FsdHNhbHRzYWx0c2FsdA',
  }
  const address = `https://example.org/${id}`
  captures.set(id, {
    owner: ana.id,
    text: TEXT,
    state: 'sealed',
    shared: false,
    seal,
    url: address,
    ...fields,
  })
  return id
}
const iodOf = (fields: Parameters<typeof iodInput>[0] = {}): Promise<Iod> =>
  api.call(iodsApi.createIod, { body: iodInput(fields) })
/** Creates an IOD, and a text that contains only its value. */
const iod = async () => {
  const value = `${VALUE} ${newId()}`
  return { ...(await iodOf({ value })), text: TEXT.replace(VALUE, value) }
}
const place = (text: string, exact: string) => {
  const start = text.indexOf(exact)
  return { start, end: start + exact.length, exact }
}
const add = (client: ApiClient, id: string, body: NewEvidence) =>
  client.send('POST', `/iods/${id}/evidence`, body)
const list = (client: ApiClient, id: string): Promise<Evidence[]> =>
  client.call(evidenceApi.listEvidence, { params: { id } })
const counts = (ids: string[]) => api.call(evidenceApi.countEvidence, { body: { ids } })
const usage = async (id: string) =>
  (await fixture.internal(usageInternal.getUsage, { params: { id } })).evidence_bytes?.used

describe('adding', () => {
  it('quotes a sealed capture of the user, with its seal and the author’s name', async () => {
    const { id, value, text } = await iod()
    const capture_id = capture({ text })
    const { status, body } = await add(api, id, { capture_id, ...place(text, value) })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      iod_id: id,
      kind: 'capture',
      capture_id,
      role: 'text',
      pointer: '',
      ...place(text, value),
      prefix: 'y say so:\n',
      suffix: ' 🛰, and n',
      relation: 'same',
      url: captures.get(capture_id)?.url,
      captured_at: '2026-11-20T10:00:00+01:00',
      seal: captures.get(capture_id)?.seal,
      open: true,
      shared: false,
      created_by_id: ana.id,
      created_by_username: 'ana',
      created_at: expect.stringMatching(/Z$/),
    })
    expect(await list(api, id)).toEqual([body])
    // Another member reads the quote and its seal, not the capture.
    expect(await list(boApi, id)).toEqual([{ ...body, open: false }])
    expect(await counts([id, newId()])).toEqual({ [id]: 1 })
  })

  it('states how quote and value relate, and rejects unrelated quotes', async () => {
    const mark = newId()
    const { id } = await iodOf({ value: `Straße ${mark}`, category: 'KEYWORDS' })
    const text = `straße ${mark}. In der Straße ${mark} brennt es. Nothing else.`
    const capture_id = capture({ text })
    const relations: unknown[] = []
    for (const exact of [`straße ${mark}`, `In der Straße ${mark} brennt es.`])
      relations.push((await add(api, id, { capture_id, ...place(text, exact) })).body.relation)
    expect(relations).toEqual(['folded', 'part'])
    expect(await add(api, id, { capture_id, ...place(text, 'Nothing else.') })).toMatchObject({
      status: 422,
      body: { detail: [DETAILS.unrelatedQuote] },
    })
  })

  it('accepts a sentence for a triplet if they share a word', async () => {
    const mark = newId()
    const { id } = await iodOf({ value: `mirrors heat ${mark}`, category: 'NARRATIVE_TRIPLET' })
    const text = `The mirrors have heated all of ${mark}. Nobody asks.`
    const narrative_id = newId()
    narratives.set(narrative_id, { owner: ana.id, text })
    const quote = (exact: string) => add(api, id, { narrative_id, ...place(text, exact) })
    expect((await quote(`The mirrors have heated all of ${mark}.`)).body).toMatchObject({
      kind: 'narrative',
      relation: 'part',
      seal: null,
      capture_id: null,
      open: false,
    })
    expect((await quote('Nobody asks.')).status).toBe(422)
  })

  it('quotes records without a seal, also with the extension’s token', async () => {
    const { id, value } = await iod()
    const record = { source: 'tiktok' as const, id: newId() }
    records.set(record.id, { owner: ana.id, text: value })
    const collector = apiClient(url, await fixture.token({ id: ana.id, scope: 'collector' }))
    const quote = { record, role: 'record' as const, pointer: '/main/description', ...place(value, value) }
    expect(await add(collector, id, quote)).toMatchObject({
      status: 201,
      body: { kind: 'record', role: 'record', pointer: '/main/description', seal: null },
    })
    expect(await add(collector, id, quote)).toMatchObject({
      status: 409,
      body: { detail: DETAILS.alreadyQuoted },
    })
    expect((await collector.send('GET', `/iods/${id}/evidence`)).status).toBe(403)
  })

  it('rejects quotes of missing texts and of unsealed, foreign, erased or unknown sources', async () => {
    const { id, value, text } = await iod()
    const quote = place(text, value)
    const statusOf = async (client: ApiClient, body: NewEvidence, iodId = id) =>
      (await add(client, iodId, body)).status
    const own = capture({ text })
    expect(await statusOf(api, { capture_id: own, ...quote, start: quote.start + 1 })).toBe(422)
    expect(await statusOf(api, { capture_id: own, ...quote, start: 0, end: quote.exact.length })).toBe(422)
    expect(await statusOf(api, { capture_id: capture({ text, state: 'open' }), ...quote })).toBe(409)
    expect(await statusOf(api, { capture_id: newId(), ...quote })).toBe(404)
    expect(await statusOf(api, { capture_id: own, ...quote }, newId())).toBe(404)
    expect(await statusOf(boApi, { capture_id: own, ...quote })).toBe(404)
    const theirs = newId()
    narratives.set(theirs, { owner: bo.id, text })
    expect(await statusOf(api, { narrative_id: theirs, ...quote })).toBe(404)
    expect(await list(api, id)).toEqual([])
    expect(await counts([id])).toEqual({})
    // Any user may quote shared captures.
    expect(await statusOf(boApi, { capture_id: capture({ text, shared: true }), ...quote })).toBe(201)
  })

  it.each([
    [{}, /exactly one/],
    [{ capture_id: newId(), narrative_id: newId() }, /exactly one/],
    [{ capture_id: newId(), start: 5, end: 5 }, /^end: must be after start/],
    [{ capture_id: newId(), start: -1 }, /^start: /],
    [{ capture_id: newId(), end: 1.5 }, /^end: /],
    [{ capture_id: newId(), exact: '' }, /^exact: must not be empty/],
    [{ capture_id: newId(), exact: 'x'.repeat(10_001) }, /^exact: /],
    [{ capture_id: newId(), role: 'cookie' }, /^role: /],
    [{ capture_id: newId(), pointer: `/${'x'.repeat(500)}` }, /^pointer: /],
    [{ capture_id: newId(), created_by_id: newId() }, /not a known field/],
    [{ capture_id: newId(), relation: 'same' }, /not a known field/],
    [{ capture_id: newId(), manifest_hash: 'a'.repeat(64) }, /not a known field/],
    [{ capture_id: { $ne: null } }, /^capture_id: /],
  ])('rejects an invalid body without a request to the owner (%#)', async (fields, fault) => {
    const before = checks
    const { id } = await iodOf()
    const body = { start: 0, end: 4, exact: 'They', ...fields } as NewEvidence
    const { status, body: answer } = await add(api, id, body)
    expect(status).toBe(422)
    expect(answer.detail).toEqual([expect.stringMatching(fault)])
    expect(checks).toBe(before)
  })

  it('rejects half a surrogate pair and NUL', async () => {
    const { id } = await iodOf()
    for (const exact of ['\\ud83d', '\\udef0 x', 'a\\u0000b'])
      expect(
        (
          await api.send(
            'POST',
            `/iods/${id}/evidence`,
            `{"capture_id":"${capture()}","start":0,"end":1,"exact":"${exact}"}`,
          )
        ).status,
      ).toBe(422)
  })

  it('answers 503 and stores nothing while the owner of the text is down', async () => {
    const { id, value, text } = await iod()
    down.add('collector').add('narratives')
    const quote = place(text, value)
    expect((await add(api, id, { capture_id: capture({ text }), ...quote })).status).toBe(503)
    expect((await add(api, id, { narrative_id: newId(), ...quote })).status).toBe(503)
    down.clear()
    expect(await list(api, id)).toEqual([])
  })

  it('stores one of 20 concurrent equal quotes', { tags: 'long' }, async () => {
    const { id, value, text } = await iod()
    const capture_id = capture({ text, shared: true })
    const quote = { capture_id, ...place(text, value) }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => add(n % 2 ? api : boApi, id, quote)),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
    expect(await counts([id])).toEqual({ [id]: 1 })
  })
})

describe('limits of evidence', () => {
  /** Returns a text that contains the value often, each time in another context. */
  const textOf = (value: string, times: number) =>
    Array.from({ length: times }, (_, n) => `${n} ${value} ${n}`).join('\n')
  const quotesOf = (value: string, text: string, times: number) =>
    Array.from({ length: times }, (_, n) => place(text, `${n} ${value} ${n}`))

  it('accept 20 pieces of a member, also from concurrent requests', async () => {
    const { id, value } = await iod()
    const text = textOf(value, 22)
    const capture_id = capture({ text })
    const answers = await Promise.all(
      quotesOf(value, text, 22).map(quote => add(api, id, { capture_id, ...quote })),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ status, body }) => [status, body.detail])).toEqual(
      Array.from({ length: 2 }, () => [413, DETAILS.userEvidenceFull]),
    )
    expect(await counts([id])).toEqual({ [id]: LIMITS.userEvidenceMax })
    // Other members may still add evidence, and a deletion frees quota.
    const shared = capture({ text, shared: true })
    const [first] = quotesOf(value, text, 1)
    expect((await add(boApi, id, { capture_id: shared, ...place(text, first?.exact ?? '') })).status).toBe(
      201,
    )
    const own = (await list(api, id)).find(each => each.created_by_id === ana.id) as Evidence
    await api.call(evidenceApi.deleteEvidence, { params: { id, evidence_id: own.id } })
    const last = answers.findIndex(({ status }) => status !== 201)
    const again = quotesOf(value, text, 22)[last]
    expect((await add(api, id, { capture_id, ...place(text, again?.exact ?? '') })).status).toBe(201)
  })

  it('accept 100 pieces for an IOD, from any number of members', { tags: 'long' }, async () => {
    const { id, value } = await iod()
    const text = textOf(value, 120)
    const people = await Promise.all(
      Array.from({ length: 6 }, async () => apiClient(url, (await fixture.user()).token)),
    )
    const capture_id = capture({ text, shared: true })
    const quotes = quotesOf(value, text, 120)
    const answers = await Promise.all(
      quotes.map((quote, n) => add(people[n % 6] as ApiClient, id, { capture_id, ...quote })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100)
    expect(answers.find(({ status }) => status !== 201)).toMatchObject({
      status: 413,
      body: { detail: DETAILS.iodEvidenceFull },
    })
    expect(await counts([id])).toEqual({ [id]: 100 })
    const all = await list(api, id)
    expect(all).toHaveLength(100)
    const pages: Evidence[] = []
    for (let cursor: string | null | undefined = undefined; cursor !== null; ) {
      const query = { limit: 33, ...(cursor && { cursor }) }
      const page: { items: Evidence[]; total: number | null; nextCursor: string | null } = await pageOf(
        id,
        query,
      )
      expect(page.total).toBe(100)
      pages.push(...page.items)
      cursor = page.nextCursor
    }
    expect(pages).toEqual(all)
    expect(all.map(({ created_at }) => created_at)).toEqual(all.map(({ created_at }) => created_at).sort())
    expect((await api.send('GET', `/iods/${id}/evidence?cursor=nonsense`)).status).toBe(422)
  })

  const pageOf = async (id: string, query: { limit: number; cursor?: string }) => {
    const { body, headers } = await api.send(
      'GET',
      `/iods/${id}/evidence?${new URLSearchParams(query as unknown as Record<string, string>)}`,
    )
    const total = headers.get('x-total-count')
    return { items: body, total: total && Number(total), nextCursor: headers.get('x-next-cursor') } as never
  }

  it('include the quota of bytes', async () => {
    const full = await createApp(
      readConfig(iodsConfigSchema, {
        ...fixture.env,
        MONGODB_PREFIX: `p${newId()}`,
        REDIS_PREFIX: `p${newId()}`,
        QUOTA_EVIDENCE_BYTES: '1000',
      }),
      fixture.deps,
    )
    try {
      const address = await full.listen()
      const client = apiClient(address, ana.token)
      const value = `${'ü'.repeat(300)} ${newId()}`
      const { id } = await client.call(iodsApi.createIod, { body: iodInput({ value }) })
      const text = `${value} and once more ${value}`
      const capture_id = capture({ text, url: 'https://example.org/' })
      const second = text.lastIndexOf(value)
      const first = await add(client, id, { capture_id, start: 0, end: value.length, exact: value })
      expect(first.status).toBe(201)
      expect(
        await add(client, id, { capture_id, start: second, end: second + value.length, exact: value }),
      ).toMatchObject({
        status: 413,
        body: { detail: expect.stringMatching(/^Your evidence takes \d+ bytes of 1,000 bytes/) },
      })
      expect(await client.call(evidenceApi.countEvidence, { body: { ids: [id] } })).toEqual({ [id]: 1 })
      // The audit entry of an import that the quota stops counts the added quotes.
      const entries: AuditEntry[] = []
      fixture.answer(auditInternal.appendAudit, ({ body }) => {
        entries.push(...body.entries)
        return { done: true as const }
      })
      const word = `w${newId().repeat(3)}`
      const { id: other } = await client.call(iodsApi.createIod, { body: iodInput({ value: word }) })
      const quotes = Array.from({ length: 10 }, (_, n) => ({ start: n, end: n + word.length, exact: word }))
      const take = () => client.send('POST', `/iods/${other}/evidence/import`, { quotes })
      expect(await take()).toMatchObject({ status: 413 })
      const { [other]: added = 0 } = await client.call(evidenceApi.countEvidence, { body: { ids: [other] } })
      expect(added).toBeGreaterThan(0)
      expect(await take()).toMatchObject({ status: 413 })
      const imported = { action: 'evidence.imported', subject: { id: other }, count: added, outcome: 'done' }
      await vi.waitFor(() => expect(entries).toMatchObject([imported]), 30_000)
    } finally {
      await full.close()
    }
  })
})

describe('reading', () => {
  it('requires a known IOD and a session', async () => {
    expect((await api.send('GET', `/iods/${newId()}/evidence`)).status).toBe(404)
    expect((await api.send('GET', '/iods/nonsense/evidence')).status).toBe(404)
    expect((await apiClient(url).send('GET', `/iods/${newId()}/evidence`)).status).toBe(401)
    const { id } = await iodOf()
    expect(await list(api, id)).toEqual([])
    const ids = Array.from({ length: 501 }, newId)
    expect((await api.send('POST', '/iods/evidence/counts', { ids })).status).toBe(422)
    expect(await counts([])).toEqual({})
  })

  it('returns the quote of an erased capture, without capture and seal', async () => {
    const { id, value, text } = await iod()
    const capture_id = capture({ text })
    const { body } = await add(api, id, { capture_id, ...place(text, value) })
    const kept = captures.get(capture_id) as Kept
    kept.shared = true
    expect(await list(boApi, id)).toEqual([{ ...body, shared: true }])
    kept.state = 'erased'
    expect(await list(boApi, id)).toEqual([{ ...body, capture_id: null, seal: null, open: false }])
  })

  it('answers 503 while the collector service is down, as captures would look erased', async () => {
    const [sealed, plain] = [await iod(), await iod()]
    await add(api, sealed.id, {
      capture_id: capture({ text: sealed.text }),
      ...place(sealed.text, sealed.value),
    })
    const narrative_id = newId()
    narratives.set(narrative_id, { owner: ana.id, text: plain.text })
    await add(api, plain.id, { narrative_id, ...place(plain.text, plain.value) })
    down.add('collector')
    expect((await api.send('GET', `/iods/${sealed.id}/evidence`)).status).toBe(503)
    expect(await list(api, plain.id)).toHaveLength(1)
    expect(await counts([sealed.id, plain.id])).toEqual({ [sealed.id]: 1, [plain.id]: 1 })
  })
})

describe('deleting', () => {
  it('is allowed only to the author, and frees quota', async () => {
    const { id, value, text } = await iod()
    const before = (await usage(ana.id)) ?? 0
    const { body } = await add(api, id, { capture_id: capture({ text }), ...place(text, value) })
    expect(await usage(ana.id)).toBeGreaterThan(before + Buffer.byteLength(value))
    const path = `/iods/${id}/evidence/${body.id}`
    expect(await boApi.send('DELETE', path)).toMatchObject({
      status: 403,
      body: { detail: DETAILS.forbidden },
    })
    const other = await iod()
    expect((await api.send('DELETE', `/iods/${other.id}/evidence/${body.id}`)).status).toBe(404)
    expect(await list(api, id)).toHaveLength(1)
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.send('DELETE', path)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)])
    expect(await counts([id])).toEqual({})
    expect(await usage(ana.id)).toBe(before)
    // The same quote may be added again.
    expect((await add(api, id, { capture_id: capture({ text }), ...place(text, value) })).status).toBe(201)
  })
})

describe('importing', () => {
  const quoteOf = (text: string, exact: string, fields = {}) => ({
    ...place(text, exact),
    url: 'https://example.org/elsewhere',
    captured_at: '2026-10-01T10:00:00.000Z',
    prefix: 'so:',
    suffix: ' and',
    ...fields,
  })
  const take = (client: ApiClient, id: string, quotes: object[]) =>
    client.send('POST', `/iods/${id}/evidence/import`, { quotes })

  it('stores quotes once, unchecked and without a seal', async () => {
    const { id, value, text } = await iod()
    const quotes = [quoteOf(text, value), quoteOf(text, 'nobody asks')]
    expect(await take(api, id, quotes)).toMatchObject({
      status: 200,
      body: { added: 1, known: 0, left_out: 1 },
    })
    expect((await take(boApi, id, quotes)).body).toEqual({ added: 0, known: 1, left_out: 1 })
    down.add('collector')
    expect(await list(api, id)).toEqual([
      {
        id: expect.any(String),
        iod_id: id,
        kind: 'imported',
        capture_id: null,
        role: 'text',
        pointer: '',
        ...quoteOf(text, value),
        relation: 'same',
        seal: null,
        open: false,
        shared: false,
        created_by_id: ana.id,
        created_by_username: 'ana',
        created_at: expect.any(String),
      },
    ])
  })

  it('recognises the checked evidence of the same quote', async () => {
    const { id, value, text } = await iod()
    const { body } = await add(api, id, { capture_id: capture({ text }), ...place(text, value) })
    const { start, end, exact, prefix, suffix, role, pointer, captured_at } = body
    const quote = { start, end, exact, prefix, suffix, role, pointer, captured_at, url: body.url }
    expect((await take(boApi, id, [quote])).body).toEqual({ added: 0, known: 1, left_out: 0 })
  })

  it('rejects a claimed seal, and does not block a sealed quote', async () => {
    const { id, value, text } = await iod()
    const capture_id = capture({ text })
    const { seal, url: address } = captures.get(capture_id) as Kept
    const claim = quoteOf(text, value, { url: address })
    for (const fields of [
      { seal },
      { manifest_hash: seal.manifest_hash },
      { kind: 'capture' },
      { capture_id },
    ])
      expect((await take(boApi, id, [{ ...claim, ...fields }])).status).toBe(422)
    expect((await take(boApi, id, [claim])).body).toEqual({ added: 1, known: 0, left_out: 0 })
    expect((await add(api, id, { capture_id, ...place(text, value) })).status).toBe(201)
  })

  it('omits quotes past the maximum of a member and of an IOD', { tags: 'long' }, async () => {
    const { id, value } = await iod()
    const text = Array.from({ length: 30 }, (_, n) => `${n} ${value} ${n}`).join('\n')
    const quotes = Array.from({ length: 30 }, (_, n) => quoteOf(text, `${n} ${value} ${n}`))
    const takeAll = async (client: ApiClient) => {
      const sums = { added: 0, known: 0, left_out: 0 }
      for (let at = 0; at < quotes.length; at += LIMITS.importedQuotesMax) {
        const { body } = await take(client, id, quotes.slice(at, at + LIMITS.importedQuotesMax))
        for (const name of ['added', 'known', 'left_out'] as const) sums[name] += body[name]
      }
      return sums
    }
    expect(await takeAll(api)).toEqual({ added: 20, known: 0, left_out: 10 })
    expect(await takeAll(api)).toEqual({ added: 0, known: 20, left_out: 10 })
    expect(await takeAll(boApi)).toEqual({ added: 10, known: 20, left_out: 0 })
    // Also for concurrent requests.
    const third = apiClient(url, (await fixture.user()).token)
    const other = Array.from({ length: 40 }, (_, n) =>
      quoteOf(text, value, { start: n, end: n + value.length }),
    )
    const answers = await Promise.all([0, 10, 20, 30].map(at => take(third, id, other.slice(at, at + 10))))
    expect(answers.reduce((sum, { body }) => sum + body.added, 0)).toBe(20)
  })

  it('rejects unknown IODs, the extension’s token and invalid bodies', async () => {
    const { id, value, text } = await iod()
    const quote = quoteOf(text, value)
    const collector = apiClient(url, await fixture.token({ id: ana.id, scope: 'collector' }))
    expect((await take(collector, id, [quote])).status).toBe(403)
    expect((await take(api, newId(), [quote])).status).toBe(404)
    for (const fields of [
      { url: 'javascript:alert(1)' },
      { end: quote.end + 1 },
      { start: -1 },
      { prefix: 'x'.repeat(65) },
      { captured_at: 'yesterday' },
      { captured_at: '2026-02-30T10:00:00Z' },
    ])
      expect((await take(api, id, [{ ...quote, ...fields }])).status).toBe(422)
    expect((await take(api, id, [])).status).toBe(422)
    expect(
      (
        await take(
          api,
          id,
          Array.from({ length: 11 }, () => quote),
        )
      ).status,
    ).toBe(422)
  })
})

describe('for other services', () => {
  it('returns cited captures and the evidence of a capture', async () => {
    const { id, value, text } = await iod()
    const [cited, other] = [capture({ text }), capture()]
    const { body } = await add(api, id, { capture_id: cited, ...place(text, value) })
    const { seal: _seal, open: _open, shared: _shared, ...quote } = body
    expect(await fixture.internal(evidenceInternal.citedCaptures, { body: { ids: [cited, other] } })).toEqual(
      [cited],
    )
    const of = (capture_id: string) =>
      fixture.internal(evidenceInternal.getCaptureEvidence, { body: { capture_id } })
    expect(await of(cited)).toEqual([{ ...quote, value }])
    expect(await of(other)).toEqual([])
  })

  it('deletes evidence for the team, by its id or all of a capture, regardless of the author', async () => {
    const [one, two] = [await iod(), await iod()]
    const text = `${one.value} ${two.value}`
    const quoted = capture({ text, shared: true })
    const before = [await usage(ana.id), await usage(bo.id)]
    await add(api, one.id, { capture_id: quoted, ...place(text, one.value) })
    await add(boApi, two.id, { capture_id: quoted, ...place(text, two.value) })
    const { body: other } = await add(api, one.id, {
      capture_id: capture({ text: one.text }),
      ...place(one.text, one.value),
    })
    const redact = async (id: string) =>
      (await fixture.internal(evidenceInternal.redactEvidence, { body: { id } })).deleted
    expect(await redact(quoted)).toBe(2)
    expect(await list(boApi, two.id)).toEqual([])
    expect((await list(boApi, one.id)).map(({ id }) => id)).toEqual([other.id])
    expect(await redact(other.id)).toBe(1)
    expect(await redact(other.id)).toBe(0)
    const ids = [one.id, two.id]
    expect(await api.call(evidenceApi.countEvidence, { body: { ids } })).toEqual({})
    expect([await usage(ana.id), await usage(bo.id)].map(n => n ?? 0)).toEqual(before.map(n => n ?? 0))
  })

  it('returns the evidence of IODs as a user sees it, up to a limit', async () => {
    const [one, two] = [await iod(), await iod()]
    for (const { id, value, text } of [one, two])
      for (const shared of [true, false])
        await add(api, id, { capture_id: capture({ text, shared }), ...place(text, value) })
    const exported = (limit: number, user_id = bo.id) =>
      fixture.internal(evidenceInternal.exportEvidence, {
        body: { ids: [one.id, two.id, newId()], user_id, limit },
      })
    const all = await exported(10)
    expect(all).toEqual([...(await list(boApi, one.id)), ...(await list(boApi, two.id))])
    expect(all.map(({ open }) => open)).toEqual([true, false, true, false])
    expect((await exported(10, ana.id)).map(({ open }) => open)).toEqual([true, true, true, true])
    expect(await exported(3)).toEqual(all.slice(0, 3))
  })
})

describe('personal data', () => {
  it('exports a user’s evidence; a deleted user’s quotes remain without an author', async () => {
    const dora = await fixture.user('dora')
    const client = apiClient(url, dora.token)
    const { id, value, text } = await iod()
    const capture_id = capture({ text, owner: dora.id })
    const { body } = await add(client, id, { capture_id, ...place(text, value) })
    const exportOf = () => fixture.internal(personalDataInternal.exportUser, { params: { id: dora.id } })
    const exported = await exportOf()
    expect(exported).toEqual([
      { kind: 'evidence', data: expect.objectContaining({ _id: body.id, iod_id: id, exact: value }) },
    ])
    expect(JSON.stringify(exported)).not.toContain('quote_key')
    for (let times = 0; times < 2; times++)
      await fixture.internal(personalDataInternal.eraseUser, { params: { id: dora.id } })
    expect(await exportOf()).toEqual([])
    expect(await list(api, id)).toEqual([
      { ...body, open: false, created_by_id: null, created_by_username: null },
    ])
    const kept = service.mongo.collection<{ _id: string }>('usage')
    expect(await kept.findOne({ _id: dora.id })).toBeNull()
    expect((await api.send('DELETE', `/iods/${id}/evidence/${body.id}`)).status).toBe(403)
  })
})
