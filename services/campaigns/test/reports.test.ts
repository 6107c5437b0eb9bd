import {
  API_BASE,
  auditInternal,
  authInternal,
  campaignsApi,
  capturesInternal,
  DETAILS,
  DONE,
  type Evidence,
  evidenceInternal,
  type Iod,
  iodsInternal,
  type NotificationEvent,
  notificationsInternal,
  reportSealsInternal,
  reportsApi,
  techniquesInternal,
  usageInternal,
} from '@iodine/contracts'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  type FixtureUser,
  newId,
  type ServiceFixture,
  startServiceFixture,
} from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let url: string
let ana: FixtureUser
let bo: FixtureUser
let root: FixtureUser
let api: ApiClient
let rootApi: ApiClient

const AT = '2026-11-20T10:00:00.000Z'
const iods = new Map<string, Iod>()
const evidence: Evidence[] = []
const news: NotificationEvent[] = []
/** Recorded actions, by the id of the report. */
const recorded = new Set<string>()
const HASH = 'ab'.repeat(32)
const SEAL = {
  ...{ v: 1 as const, key_id: 'k1', public_key: 'key', sig: 'c2ln' },
  seal: { seq: 0, manifest_hash: HASH, received_at: AT, salt: 's' },
  proof: { seq: 0, size: 1, leaf_hash: HASH, path: [] },
  checkpoint: { size: 1, root: HASH, at: AT, key_id: 'k1', sig: 'c2ln' },
}
const SETTINGS = {
  REPORTS: 'reviewed',
  REPORTS_CONTACT: 'contact@iodine.example',
  REPORTS_LEGAL_NOTICE: 'Example Institute',
  PUBLIC_URL: 'https://iodine.example',
}

beforeAll(async () => {
  fixture = await startServiceFixture()
  service = await createApp(readConfig(campaignsConfigSchema, { ...fixture.env, ...SETTINGS }), fixture.deps)
  url = await fixture.listen(service)
  ana = await fixture.user('ana')
  bo = await fixture.user('bo')
  root = await fixture.user('root')
  api = apiClient(url, ana.token)
  rootApi = apiClient(url, root.token)
  fixture.answer(iodsInternal.getIods, ({ body }) => body.ids.flatMap(id => iods.get(id) ?? []))
  fixture.answer(iodsInternal.stateIods, ({ body }) =>
    Object.fromEntries(
      body.ids.map(id => [id, { uid: `uid-${id}`, confidence: null, since: AT, tlp: null }]),
    ),
  )
  fixture.answer(evidenceInternal.exportEvidence, ({ body }) =>
    evidence.filter(({ iod_id }) => body.ids.includes(iod_id)),
  )
  fixture.answer(capturesInternal.getCollectors, ({ body }) =>
    body.ids.map(id => ({ id, collector: 'test/1' })),
  )
  fixture.answer(reportSealsInternal.sealReport, () => SEAL)
  fixture.answer(authInternal.findQuotable, () => [])
  fixture.answer(auditInternal.appendAudit, ({ body }) => {
    for (const { action, subject } of body.entries) recorded.add(`${action} ${subject.id}`)
    return DONE
  })
  fixture.answer(notificationsInternal.receiveEvents, ({ body }) => {
    news.push(...body.events)
    return DONE
  })
  fixture.answer(authInternal.checkAdmin, ({ params }) => ({ is_admin: params.id === root.id }))
})
afterAll(() => fixture?.stop())

const newIod = (value: string, category: Iod['category'], by: FixtureUser): Iod => {
  const iod: Iod = {
    ...{
      id: newId(),
      value,
      category,
      description: 'seen',
      source_type: 'MANUAL',
      source: null,
      source_id: null,
    },
    ...{ created_by: by.username, created_by_id: by.id, created_by_username: by.username, created_at: AT },
    votes: [],
    comments: [],
  }
  iods.set(iod.id, iod)
  return iod
}

const quoteOf = ({ id: iod_id }: Iod, exact: string, by: FixtureUser): Evidence => {
  const seal = { seq: 4, manifest_hash: 'ab'.repeat(32), received_at: AT, salt: 's' }
  const piece = {
    ...{
      id: newId(),
      iod_id,
      kind: 'capture',
      capture_id: newId(),
      role: 'dom',
      pointer: '',
      start: 0,
      end: 4,
    },
    ...{
      exact,
      prefix: '',
      suffix: '',
      relation: 'value',
      url: 'https://page.example/',
      captured_at: AT,
      seal,
    },
    ...{ open: true, shared: false, created_by_id: by.id, created_by_username: by.username, created_at: AT },
  } as unknown as Evidence
  evidence.push(piece)
  return piece
}

const params = (id: string) => ({ params: { id } })

/** Creates a clear campaign with these IODs, and a complete draft of a report. */
const draft = async (members: readonly Iod[], quotes: readonly Evidence[] = []) => {
  const { id: campaign } = await api.call(campaignsApi.createCampaign, { body: { name: 'Copies' } })
  await service.mongo
    .collection('campaigns')
    .updateOne(
      { _id: new Types.ObjectId(campaign) },
      { $set: { tlp: 0, iod_ids: members.map(({ id }) => new Types.ObjectId(id)) } },
    )
  const { id } = await api.call(reportsApi.createReport, params(campaign))
  const evidence_ids = quotes.map(each => each.id)
  await api.call(reportsApi.editReport, {
    ...params(id),
    body: {
      ...{ title: 'Copies of newspapers', summary: 'A summary', method: 'By hand', listed: true },
      findings: [{ text: 'One owner', confidence: 'medium', evidence_ids }],
    },
  })
  return { campaign, id }
}

/** Hands a draft in and waits for its version in review. */
const handIn = async (id: string) => {
  await api.call(reportsApi.handInReport, params(id))
  return inReview(id)
}
const inReview = (id: string) =>
  vi.waitFor(
    async () => {
      const detail = await api.call(reportsApi.getReport, params(id))
      expect(detail).toMatchObject({ state: 'review', problem: null })
      return detail
    },
    { timeout: 60_000, interval: 50 },
  )
const approve = async (id: string) => {
  const { sha256 } = await rootApi.call(reportsApi.getReviewPage, params(id))
  return rootApi.call(reportsApi.approveReport, { ...params(id), body: { sha256 } })
}
const expectRecorded = (id: string, actions: readonly string[]) =>
  vi.waitFor(() => {
    for (const action of actions) expect(recorded).toContain(`report.${action} ${id}`)
  })
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${url}${path}`, { headers })
const usedBytes = async () => {
  const files = service.mongo.collection('report_versions')
  return (await files.find({ user_id: new Types.ObjectId(ana.id) }).toArray()).reduce(
    (sum, { bytes }) => sum + bytes,
    0,
  )
}
const countedBytes = async () =>
  (await fixture.internal(usageInternal.getUsage, params(ana.id))).published_bytes?.used

describe('a draft', () => {
  it('requires an own campaign that is TLP:CLEAR', async () => {
    const { id } = await api.call(campaignsApi.createCampaign, { body: { name: 'Green' } })
    expect(await api.send('POST', `/campaigns/${id}/reports`)).toMatchObject({
      status: 409,
      body: { detail: DETAILS.reportNotClear },
    })
    expect(await rootApi.send('POST', `/campaigns/${id}/reports`)).toMatchObject({ status: 403 })
  })
  it('is one of three of a campaign', async () => {
    const { campaign } = await draft([])
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => api.send('POST', `/campaigns/${campaign}/reports`)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 413, 413])
  })
  it('lists the evidence of its campaign, and which of it can be quoted, to its author only', async () => {
    const iod = newIod('cited.example', 'DOMAIN', bo)
    const { id } = await draft([iod])
    const known = evidence.length
    const open = quoteOf(iod, 'at cited.example', bo)
    const closed = quoteOf(iod, 'private', bo)
    Object.assign(closed, { open: false })
    const unsealed = quoteOf(iod, 'not sealed', bo)
    Object.assign(unsealed, { seal: null })
    const quotes = await api.call(reportsApi.listCitable, params(id))
    expect(quotes).toMatchObject([
      { id: open.id, value: 'cited.example', exact: 'at cited.example', citable: true },
      { id: closed.id, citable: false },
      { id: unsealed.id, citable: false },
    ])
    expect(await rootApi.send('GET', `/reports/${id}/citable`)).toMatchObject({ status: 403 })
    evidence.length = known
  })
  it('is read and changed by its author only, and previewed with what is held back', async () => {
    const account = newIod('copyist', 'USERNAME', ana)
    const { id } = await draft([newIod('copy.example', 'DOMAIN', bo), account])
    expect(await rootApi.send('GET', `/reports/${id}`)).toMatchObject({ status: 403 })
    const preview = await api.call(reportsApi.previewReport, params(id))
    const { headers } = await fetch(`${url}${API_BASE}/reports/${id}/preview`, {
      headers: { authorization: `Bearer ${ana.token}` },
    })
    expect(headers.get('x-withheld')).toBe('iod-personal=1')
    expect(preview.html).toContain('copy[.]example')
    expect(preview.html).not.toContain('copyist')
    expect(preview.held_back).toMatchObject([{ iod_id: account.id, let_in: false }])
    const body = { let_in: true, reason: 'asset' as const }
    await api.call(reportsApi.decideReport, { params: { id, iod_id: account.id }, body })
    expect((await api.call(reportsApi.previewReport, params(id))).html).toContain('copyist')
  })
})

describe('a report', () => {
  it('is published by another administrator who approves its very bytes, corrected, and withdrawn', async () => {
    const iod = newIod('copy.example', 'DOMAIN', ana)
    const quote = quoteOf(iod, 'at copy.example', ana)
    quote.shared = true
    const { id } = await draft([iod], [quote])
    const { slug } = await handIn(id)
    expect((await get(`/reports/${slug}`)).status).toBe(404)
    const other = { sha256: '0'.repeat(64) }
    expect(await rootApi.send('POST', `/reports/${id}/approve`, other)).toMatchObject({
      status: 409,
      body: { detail: DETAILS.reportOtherBytes },
    })
    await approve(id)
    const page = await get(`/reports/${slug}`)
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('public, max-age=60, stale-if-error=0')
    expect(page.headers.get('x-robots-tag')).toBeNull()
    const html = await page.text()
    expect(html).toContain('Copies of newspapers')
    expect(html).toContain('Collectors: test/1.')
    const plain = await get(`/reports/${slug}`, { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.text()).toBe(html)
    const etag = page.headers.get('etag') ?? ''
    expect((await get(`/reports/${slug}`, { 'if-none-match': etag })).status).toBe(304)
    expect((await get(`/reports/${slug}`, { accept: 'image/png' })).status).toBe(406)
    const stix = await get(`/reports/${slug}/v1/report.stix.json`)
    expect(stix.headers.get('x-robots-tag')).toBe('noindex')
    expect(JSON.stringify(await stix.json())).not.toContain(ana.id)
    for (const path of ['v0', 'v-1', 'v1e9', 'v2', 'v1/shown', 'v1/..%2fv1'])
      expect((await get(`/reports/${slug}/${path}`)).status, path).toBe(404)
    expect((await get(`/reports/${slug.toUpperCase()}`)).status).toBe(404)
    expect(await (await get('/reports/feed.xml')).text()).toContain(slug)
    expect(await (await get(`/oembed?url=https://iodine.example/reports/${slug}`)).json()).toMatchObject({
      type: 'link',
      title: 'Copies of newspapers',
    })

    expect(await api.send('POST', `/reports/${id}/review`)).toMatchObject({
      body: { detail: DETAILS.reportChangeMissing },
    })
    await api.call(reportsApi.editReport, { ...params(id), body: { change: 'The date was wrong' } })
    await handIn(id)
    await approve(id)
    expect(await (await get(`/reports/${slug}/v1`)).text()).toContain(`/reports/${slug}/v2`)
    expect(await (await get(`/reports/${slug}`)).text()).toContain('The date was wrong')
    expect(await countedBytes()).toBe(await usedBytes())

    await api.call(reportsApi.withdrawReport, { ...params(id), body: { reason: 'A name was wrong' } })
    const gone = await get(`/reports/${slug}/v1`)
    expect(gone.status).toBe(410)
    expect(await gone.text()).toContain('A name was wrong')
    expect(await (await get('/reports/feed.xml')).text()).not.toContain(slug)
    await rootApi.call(reportsApi.replyToReport, { ...params(id), body: { from: 'Copy Ltd', text: 'No' } })
    await rootApi.call(reportsApi.standReport, params(id))
    await expectRecorded(id, ['handed-in', 'approved', 'withdrawn', 'replied', 'reinstated'])
  })
  it('is not approved by its author', async () => {
    const { id } = await draft([newIod('own.example', 'DOMAIN', ana)])
    const { versions } = await handIn(id)
    fixture.answer(authInternal.checkAdmin, () => ({ is_admin: true }))
    const body = { sha256: versions[0]?.sha256 }
    expect(await api.send('POST', `/reports/${id}/approve`, body)).toMatchObject({ status: 403 })
    fixture.answer(authInternal.checkAdmin, ({ params: { id } }) => ({ is_admin: id === root.id }))
  })
  it('is not approved once its campaign is restricted or a source is redacted', async () => {
    const iod = newIod('redacted.example', 'DOMAIN', ana)
    const piece = quoteOf(iod, 'redacted words', ana)
    const { id, campaign } = await draft([iod], [piece])
    await handIn(id)
    const { sha256 } = await rootApi.call(reportsApi.getReviewPage, params(id))
    const approval = () => rootApi.send('POST', `/reports/${id}/approve`, { sha256 })
    const setLevel = (tlp: number) =>
      service.mongo
        .collection('campaigns')
        .updateOne({ _id: new Types.ObjectId(campaign) }, { $set: { tlp } })
    await setLevel(2)
    expect(await approval()).toMatchObject({ status: 409, body: { detail: DETAILS.reportNotClear } })
    await setLevel(0)
    await fixture.internal(techniquesInternal.redactQuotes, { body: { id: piece.id } })
    expect(await approval()).toMatchObject({ status: 409, body: { detail: DETAILS.reportStale } })
  })
  it('is published once by two administrators at once', async () => {
    const { id } = await draft([newIod('twice.example', 'DOMAIN', ana)])
    await handIn(id)
    const { sha256 } = await rootApi.call(reportsApi.getReviewPage, params(id))
    const other = await fixture.user('other-root')
    fixture.answer(authInternal.checkAdmin, ({ params: { id } }) => ({ is_admin: id !== ana.id }))
    const admins = [rootApi, apiClient(url, other.token), rootApi, apiClient(url, other.token)]
    const answers = await Promise.all(
      admins.map(each => each.send('POST', `/reports/${id}/approve`, { sha256 })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const { versions, latest } = await api.call(reportsApi.getReport, params(id))
    expect([latest, versions.map(({ state }) => state)]).toEqual([1, ['published']])
    fixture.answer(authInternal.checkAdmin, ({ params: { id } }) => ({ is_admin: id === root.id }))
  })
  it('is not shown if its campaign is restricted in the moment of the approval', async () => {
    const { id, campaign } = await draft([newIod('moment.example', 'DOMAIN', ana)])
    const { slug } = await handIn(id)
    const sharing = (tlp: 'amber' | 'clear') =>
      api.call(campaignsApi.updateSharing, { params: { id: campaign }, body: { tlp } })
    for (let n = 0; n < 3; n++) {
      const { sha256 } = await rootApi.call(reportsApi.getReviewPage, params(id))
      const [approval] = await Promise.all([
        rootApi.send('POST', `/reports/${id}/approve`, { sha256 }),
        sharing('amber'),
      ])
      expect((await get(`/reports/${slug}`)).status).toBe(approval.status === 200 ? 503 : 404)
      if (approval.status === 200) return
      await sharing('clear')
      await rootApi.call(reportsApi.refuseReport, { ...params(id), body: { why: 'Again' } })
      await handIn(id)
    }
  })
  it('waits 72 hours for the users it quotes, who take their content out', async () => {
    const iod = newIod('bos.example', 'DOMAIN', bo)
    const { id } = await draft([iod, newIod('anas.example', 'DOMAIN', ana)])
    const { approvable_at } = await handIn(id)
    expect(Date.parse(approvable_at ?? '') - Date.now()).toBeGreaterThan(71 * 3_600_000)
    const { sha256 } = await rootApi.call(reportsApi.getReviewPage, params(id))
    expect(await rootApi.send('POST', `/reports/${id}/approve`, { sha256 })).toMatchObject({ status: 409 })
    const bos = apiClient(url, bo.token)
    expect(await bos.call(reportsApi.listQuoted)).toMatchObject([{ id, items: 1, texts: ['bos.example'] }])
    const told = { type: 'report.quoted', id, quoted: bo.id, user_id: ana.id, until: approvable_at }
    await vi.waitFor(() => expect(news.filter(each => each.id === id)).toMatchObject([told]))
    expect(await bos.call(reportsApi.takeOut, params(id))).toEqual({ taken_out: 1 })
    await inReview(id)
    await expectRecorded(id, ['taken-out'])
    const { html } = await rootApi.call(reportsApi.getReviewPage, params(id))
    expect(html).not.toContain('bos[.]example')
    expect(html).toContain('anas[.]example')
  })
  it('contains nothing new, and waits no longer, when its files are made again', async () => {
    const [first, second] = [newIod('one.example', 'DOMAIN', bo), newIod('two.example', 'DOMAIN', bo)]
    const { id, campaign } = await draft([first, newIod('stays.example', 'DOMAIN', ana)])
    const { approvable_at } = await handIn(id)
    await service.mongo
      .collection('campaigns')
      .updateOne(
        { _id: new Types.ObjectId(campaign) },
        { $push: { iod_ids: new Types.ObjectId(second.id) } as never },
      )
    await apiClient(url, bo.token).call(reportsApi.takeOut, params(id))
    const again = await inReview(id)
    expect(Date.parse(again.approvable_at ?? '')).toBeLessThan(Date.parse(approvable_at ?? ''))
    const { html } = await rootApi.call(reportsApi.getReviewPage, params(id))
    expect(html).toContain('stays[.]example')
    expect(html).not.toMatch(/(one|two)\[\.\]example/)
    expect(await apiClient(url, bo.token).call(reportsApi.listQuoted)).toEqual([])
    await rootApi.call(reportsApi.refuseReport, { ...params(id), body: { why: 'Again' } })
    await handIn(id)
    const { html: next } = await rootApi.call(reportsApi.getReviewPage, params(id))
    expect(next).toContain('two[.]example')
    await vi.waitFor(() => expect(news.filter(each => each.id === id)).toHaveLength(2))
  })
  it('contains descriptions of users who agree', async () => {
    const { id } = await draft([newIod('agreed.example', 'DOMAIN', bo)])
    const csv = async () => {
      const { content } = (await service.mongo.collection('report_versions').findOne({
        report_id: new Types.ObjectId(id),
      })) ?? { content: { indicators: [] } }
      return content.indicators.map((each: { description: string }) => each.description)
    }
    await handIn(id)
    expect(await csv()).toEqual([''])
    await rootApi.call(reportsApi.refuseReport, { ...params(id), body: { why: 'Again' } })
    fixture.answer(authInternal.findQuotable, ({ body }) => body.ids)
    await handIn(id)
    fixture.answer(authInternal.findQuotable, () => [])
    expect(await csv()).toEqual(['seen'])
  })
  it('returns its bytes when it is refused, erased or deleted', async () => {
    const { id } = await draft([newIod('refused.example', 'DOMAIN', ana)])
    await handIn(id)
    await rootApi.call(reportsApi.refuseReport, { ...params(id), body: { why: 'Too vague' } })
    expect(await api.call(reportsApi.getReport, params(id))).toMatchObject({
      state: 'draft',
      problem: 'Too vague',
    })
    const { slug } = await handIn(id)
    await approve(id)
    await rootApi.call(reportsApi.eraseReport, { ...params(id), body: { n: 1, law: 'Act 1' } })
    expect((await get(`/reports/${slug}/v1`)).status).toBe(451)
    await expectRecorded(id, ['refused', 'erased'])
    expect(await countedBytes()).toBe(await usedBytes())
  })
  it('returns to its author if a finding names evidence that cannot be published', async () => {
    const iod = newIod('secret.example', 'DOMAIN', ana)
    const quote = quoteOf(iod, 'at secret.example', bo)
    quote.open = false
    const { id } = await draft([iod], [quote])
    await api.call(reportsApi.handInReport, params(id))
    await vi.waitFor(async () =>
      expect(await api.call(reportsApi.getReport, params(id))).toMatchObject({
        state: 'draft',
        problem: 'Findings 1 name evidence that cannot be published',
      }),
    )
  })
  it('is made of nothing while the iods service is down, and once it is back', async () => {
    const { id } = await draft([newIod('later.example', 'DOMAIN', ana)])
    fixture.answer(iodsInternal.stateIods, () => {
      throw new Error('down')
    })
    await api.call(reportsApi.handInReport, params(id))
    await vi.waitFor(async () => {
      const entry = await service.mongo.collection('outbox').findOne({ kind: 'report', key: id })
      expect(entry?.attempts ?? 0).toBeGreaterThan(0)
    })
    expect(
      await service.mongo.collection('report_versions').countDocuments({ report_id: new Types.ObjectId(id) }),
    ).toBe(0)
    fixture.answer(iodsInternal.stateIods, ({ body }) =>
      Object.fromEntries(body.ids.map(each => [each, { uid: each, confidence: null, since: AT, tlp: null }])),
    )
    await service.mongo
      .collection('outbox')
      .updateMany({ key: id }, { $set: { due_at: new Date(0) }, $unset: { lease: 1 } })
    service.outbox.wake()
    await inReview(id)
  })
})

it('refuses to start without a contact and a legal notice', async () => {
  const config = readConfig(campaignsConfigSchema, { ...fixture.env, REPORTS: 'reviewed' })
  await expect(createApp(config, fixture.deps)).rejects.toThrow('REPORTS_CONTACT')
})
