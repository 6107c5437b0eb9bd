import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  API_BASE,
  type BlobRole,
  capturesApi,
  capturesInternal,
  collectorApi,
  evidenceInternal,
  LIMITS,
  type Manifest,
  type ManifestBlob,
  personalDataInternal,
  type RecordOf,
  type Source,
  sealsApi,
  usageInternal,
} from '@iodine/contracts'
import {
  canonicalJson,
  leafHash,
  manifestHash,
  sha256Hex,
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
} from '@iodine/evidence'
import { verifyWacz } from '@iodine/evidence/wacz'
import { HttpError, newSigningKey, readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  beforeNext,
  commandsOf,
  type FixtureUser,
  platformPost,
  runs,
  type ServiceFixture,
  startServiceFixture,
  telegramPost,
  tiktokPost,
} from '@iodine/test-kit'
import { type Collection, Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CollectorConfig, collectorConfigSchema, createApp } from '../src/index.js'
import { type S3Server, startS3Server } from './s3-server.js'

const QUOTA = 5_000_000
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const TYPE = { 'content-type': 'application/octet-stream' }
const bytes = (text: string) => new Uint8Array(Buffer.from(text))

/** Captures that evidence cites, according to the stub of the IODs service. */
const cited = new Set<string>()

interface Parts {
  text?: string
  record?: string
  screenshot?: Uint8Array<ArrayBuffer>
  /** Returns fields that replace the manifest's. */
  change?: (manifest: Manifest) => object
}

const capturesIn = (storage: 'file' | 'gridfs' | 's3') => {
  let fixture: ServiceFixture
  let config: CollectorConfig
  let service: StoreService
  let folder: string
  let s3: S3Server | undefined
  let url: string
  let ana: FixtureUser
  let bo: FixtureUser
  let api: ApiClient
  let boApi: ApiClient

  beforeAll(async () => {
    fixture = await startServiceFixture({ monitorCommands: true })
    folder = await mkdtemp(join(tmpdir(), 'iodine-test-'))
    if (storage === 's3') s3 = await startS3Server()
    config = readConfig(collectorConfigSchema, {
      ...fixture.env,
      QUOTA_CAPTURE_BYTES: String(QUOTA),
      ...(storage === 'file' && { BLOBS_URL: pathToFileURL(folder).href }),
      ...(s3 && { BLOBS_URL: s3.url() }),
    })
    service = await createApp(config, fixture.deps)
    url = await fixture.listen(service)
    fixture.answer(evidenceInternal.citedCaptures, ({ body }) => body.ids.filter(id => cited.has(id)))
  })
  afterAll(async () => {
    await service?.close()
    await fixture?.stop()
    await s3?.stop()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    ana = await fixture.user('ana')
    bo = await fixture.user('bo')
    api = apiClient(url, ana.token)
    boApi = apiClient(url, bo.token)
    // Tests count blobs: waits until earlier erasures are complete.
    const erasures = () => service.mongo.collection('outbox').countDocuments({ kind: 'capture.erased' })
    await expect.poll(erasures, { timeout: 30_000 }).toBe(0)
  })

  /** Returns a capture's manifest and the bytes that it names. */
  const made = async ({
    text = `Seen ${randomBytes(4).toString('hex')}`,
    record,
    screenshot,
    change,
  }: Parts = {}) => {
    const part = (role: BlobRole, type: string, content: Uint8Array<ArrayBuffer>) => ({
      role,
      type,
      bytes: content,
    })
    const parts = [
      part('dom', 'text/html', bytes(`<p>${text}</p>`)),
      part('text', 'text/plain', bytes(text)),
      ...(record ? [part('record', 'application/json', bytes(record))] : []),
      ...(screenshot ? [part('screenshot', 'image/png', screenshot)] : []),
    ]
    const blobs: ManifestBlob[] = await Promise.all(
      parts.map(async ({ role, type, bytes: content }) => ({
        role,
        type,
        sha256: await sha256Hex(content),
        bytes: content.length,
      })),
    )
    const manifest: Manifest = {
      v: 1,
      source: 'tiktok',
      url: 'https://clips.example/@captain_osk/video/1',
      captured_at: '2026-11-23T10:00:00.000Z',
      trigger: 'collect',
      collector: 'test/1',
      projection: 'iodine-text-1',
      blobs,
    }
    return {
      manifest: { ...manifest, ...change?.(manifest) } as Manifest,
      contents: new Map(parts.map((part, index) => [blobs[index]?.sha256 ?? '', part.bytes])),
    }
  }
  const upload = async (parts: Parts = {}, client = api) => {
    const { manifest, contents } = await made(parts)
    const { id, missing } = await client.call(capturesApi.createCapture, { body: manifest })
    for (const sha256 of missing)
      await client.call(capturesApi.putBlob, {
        params: { id, sha256 },
        body: contents.get(sha256) as Uint8Array<ArrayBuffer>,
      })
    return { id, manifest, contents }
  }
  const sealIt = async (parts?: Parts, client = api) => {
    const capture = await upload(parts, client)
    const sealed = await client.call(capturesApi.sealCapture, { params: { id: capture.id } })
    return { ...capture, sealed }
  }
  const post = (body: unknown, client = api) => client.send('POST', '/captures', body)
  const put = (id: string, sha256: string, body: Uint8Array, client = api) =>
    client.send('PUT', `/captures/${id}/blobs/${sha256}`, body, TYPE)
  const keys = async () => (await api.call(sealsApi.getSealKeys)).map(({ public_key }) => public_key)
  const stored = async () => {
    if (s3) return s3.objects.size
    if (storage === 'gridfs') return service.mongo.collection('blobs.files').countDocuments()
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries.filter(entry => entry.isFile()).length
  }

  /** Waits until this number of blobs is stored. */
  const expectStored = (count: number) => expect.poll(stored, { timeout: 30_000 }).toBe(count)

  it('are uploaded, sealed, and provable without a session', async () => {
    const { manifest, contents } = await made({ text: 'Giant mirrors heat the lake 🛰', screenshot: PNG })
    const first = await post(manifest)
    expect(first.status).toBe(201)
    const { id, missing } = first.body
    expect(missing).toEqual(manifest.blobs.map(({ sha256 }) => sha256))
    // Idempotent.
    expect(await post(manifest)).toMatchObject({ status: 200, body: { id, missing } })
    const [dom = '', text = '', picture = ''] = missing
    expect((await put(id, dom, contents.get(dom)!)).status).toBe(200)
    expect(await post(manifest)).toMatchObject({ status: 200, body: { id, missing: [text, picture] } })
    const early = await api.send('POST', `/captures/${id}/seal`)
    expect([early.status, early.body.detail]).toEqual([409, expect.stringContaining(picture)])
    for (const sha256 of [text, picture]) await put(id, sha256, contents.get(sha256)!)
    const { seq, seal, proof, checkpoint } = await api.call(capturesApi.sealCapture, { params: { id } })
    expect(await api.call(capturesApi.sealCapture, { params: { id } })).toEqual({
      seq,
      seal,
      proof,
      checkpoint,
    })

    expect(seal.manifest_hash).toBe(await manifestHash(manifest))
    const leaf = await leafHash(seal)
    expect(proof).toMatchObject({ seq, leaf_hash: leaf, size: checkpoint.size })
    expect(await verifyInclusion(leaf, seq, proof.size, proof.path, checkpoint.root)).toBe(true)
    const [key = ''] = await keys()
    expect(await verifyCheckpoint(checkpoint, key)).toBe(true)
    // Without a session.
    const anyone = apiClient(url)
    expect(await anyone.call(sealsApi.getCheckpoint)).toEqual(checkpoint)
    expect(await anyone.call(sealsApi.getInclusion, { params: { seq } })).toEqual(proof)

    const shown = await api.call(capturesApi.getCapture, { params: { id } })
    expect(shown).toMatchObject({ id, own: true, state: 'sealed', shared: false, seq, seal, manifest })
    expect(await api.call(capturesApi.getCaptureText, { params: { id } })).toEqual({
      text: 'Giant mirrors heat the lake 🛰',
    })
    const blob = await api.send('GET', `/captures/${id}/blobs/${dom}`)
    expect(blob.body).toBe('<p>Giant mirrors heat the lake 🛰</p>')
    expect(Object.fromEntries(blob.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${dom}"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect((await api.send('GET', `/captures/${id}/blobs/${picture}`)).headers.get('content-type')).toBe(
      'image/png',
    )
    const listed = await api.call(capturesApi.listCaptures)
    expect(listed.map(each => each.id)).toEqual([id])
  })

  it('belong to the record of the same page', async () => {
    const record = tiktokPost({ description: 'Giant mirrors heat the lake 🛰' })
    const { results } = await api.call(collectorApi.ingestRecords, {
      params: { source: 'tiktok' },
      body: { records: [record] },
    })
    const record_id = 'id' in results[0]! ? results[0].id : ''
    const { id } = await sealIt({ record: canonicalJson(record) })
    await sealIt()
    const ofRecord = { query: { record_id } }
    expect((await api.call(capturesApi.listCaptures, ofRecord)).map(each => each.id)).toEqual([id])
    expect(await boApi.call(capturesApi.listCaptures, ofRecord)).toEqual([])

    const quote = { user_id: ana.id, role: 'record' as const, start: 6, end: 13, exact: 'mirrors' }
    const from = { record: { source: 'tiktok' as const, id: record_id }, pointer: '/main/description' }
    const check = (body: object) =>
      fixture.internal(capturesInternal.checkQuote, { body: { ...quote, ...from, ...body } as never })
    expect(await check({})).toMatchObject({
      kind: 'capture',
      capture_id: id,
      prefix: 'Giant ',
      suffix: ' heat the lake 🛰',
    })
    for (const wrong of [
      { start: 5 },
      { pointer: '/main' },
      { pointer: '/main/__proto__' },
      { exact: 'lake' },
      // The two halves of the last character.
      { start: 23, end: 29, exact: 'lake \ud83d' },
      { start: 29, end: 30, exact: '\udef0' },
    ])
      await expect(check(wrong)).rejects.toMatchObject({ status: 422 })
    await expect(check({ user_id: bo.id })).rejects.toMatchObject({ status: 404 })

    // A newer version of the record does not change what was captured.
    const newer = { ...record, main: { ...record.main, description: 'Nothing to see' } }
    const later = new Date(Date.now() + 60_000).toISOString()
    newer.collector_metadata = { ...record.collector_metadata, fetch_timestamp: later }
    await api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body: { records: [newer] } })
    expect(await check({})).toMatchObject({ kind: 'capture', capture_id: id })
    expect(await check({ start: 0, end: 7, exact: 'Nothing' })).toMatchObject({ kind: 'record', seq: null })
  })

  it('are no source of a quote of an imported record, which was seen when it was imported', async () => {
    const before = new Date().toISOString()
    const ingestOne = async (source: Source, record: RecordOf[Source]) => {
      const { results } = await api.call(collectorApi.ingestRecords, {
        params: { source },
        body: { records: [record] },
      })
      return 'id' in results[0]! ? results[0].id : ''
    }
    const post = platformPost({ text: 'Giant mirrors' })
    post.collector_metadata.fetch_timestamp = '2019-01-01T00:00:00.000Z'
    const quote = { user_id: ana.id, role: 'record' as const, start: 0, end: 5, exact: 'Giant' }
    const check = async (source: Source, id: string, pointer: string) =>
      fixture.internal(capturesInternal.checkQuote, { body: { ...quote, record: { source, id }, pointer } })
    const imported = await check('post', await ingestOne('post', post), '/post/text')
    expect(imported).toMatchObject({ kind: 'record', capture_id: null, url: post.post.url })
    expect(imported.captured_at && imported.captured_at >= before).toBe(true)
    const channelPost = telegramPost({ description: 'Giant', url: 'https://t.me/Open_Eyes/77' })
    const id = await ingestOne('telegram', channelPost)
    expect(await check('telegram', id, '/telegram/post/description')).toMatchObject({
      url: 'https://t.me/Open_Eyes/77',
      captured_at: channelPost.collector_metadata.fetch_timestamp,
    })
  })

  it('are readable by others only while shared; only the owner can share them', async () => {
    const { id, manifest } = await sealIt({ text: 'They say so: the lake boils.' })
    const params = { id }
    const text = manifest.blobs[1]?.sha256
    const quote = { role: 'text' as const, pointer: '', start: 13, end: 21, exact: 'the lake' }
    const asBo = { body: { ...quote, user_id: bo.id, capture_id: id } }
    const open = await upload({ text: 'They say so: the lake boils at last.' })
    const early = { ...quote, user_id: ana.id, capture_id: open.id }
    await expect(fixture.internal(capturesInternal.checkQuote, { body: early })).rejects.toMatchObject({
      status: 409,
    })
    const paths = [`/captures/${id}`, `/captures/${id}/text`, `/captures/${id}/blobs/${text}`]
    const statuses = () => Promise.all(paths.map(async path => (await boApi.send('GET', path)).status))
    expect(await statuses()).toEqual([404, 404, 404])
    await expect(fixture.internal(capturesInternal.checkQuote, asBo)).rejects.toMatchObject({ status: 404 })
    expect((await boApi.send('PATCH', `/captures/${id}`, { shared: true })).status).toBe(404)
    expect((await boApi.send('DELETE', `/captures/${id}`)).status).toBe(404)
    const seals = () => fixture.internal(capturesInternal.getSeals, { body: { ids: [id], user_id: bo.id } })
    expect(await seals()).toMatchObject([{ id, shared: false, open: false }])

    expect(await api.call(capturesApi.shareCapture, { params, body: { shared: true } })).toMatchObject({
      shared: true,
    })
    expect(await statuses()).toEqual([200, 200, 200])
    expect(await boApi.call(capturesApi.getCapture, { params })).toMatchObject({
      own: false,
      record_id: null,
    })
    expect(await fixture.internal(capturesInternal.checkQuote, asBo)).toMatchObject({
      kind: 'capture',
      prefix: 'They say so: ',
      suffix: ' boils.',
    })
    expect(await seals()).toMatchObject([{ id, shared: true, open: true }])
    await api.call(capturesApi.shareCapture, { params, body: { shared: false } })
    expect(await statuses()).toEqual([404, 404, 404])
  })

  it('leave only a leaf when erased', async () => {
    const { id, sealed, manifest } = await sealIt()
    const before = await stored()
    await api.call(capturesApi.deleteCapture, { params: { id } })
    await expectStored(before - 2)
    expect((await api.send('GET', `/captures/${id}`)).status).toBe(404)
    expect(await api.call(capturesApi.listCaptures)).toEqual([])
    const left = await service.mongo.collection('captures').findOne({ seq: sealed.seq })
    expect(JSON.stringify(left)).not.toMatch(
      new RegExp(`${sealed.seal.salt}|${sealed.seal.manifest_hash}|clips`),
    )
    expect(left).not.toHaveProperty('user_id')
    expect(await api.call(sealsApi.getInclusion, { params: { seq: sealed.seq } })).toMatchObject({
      leaf_hash: sealed.proof.leaf_hash,
    })
    expect(await fixture.internal(usageInternal.getUsage, { params: { id: ana.id } })).toMatchObject({
      capture_bytes: { used: 0, limit: QUOTA },
    })
    // The same manifest is accepted again.
    expect((await post(manifest)).status).toBe(201)
  })

  it('of any owner are redacted by the operator, with a stored reason', async () => {
    const given = await sealIt()
    await api.call(capturesApi.shareCapture, { params: { id: given.id }, body: { shared: true } })
    const before = await stored()
    const redact = (id: string, reason: string) =>
      fixture.internal(capturesInternal.redactCapture, { params: { id }, body: { reason } })
    const { seq } = given.sealed
    expect(await redact(given.id, 'requested by a quoted person')).toEqual({ seq })
    expect(await redact(given.id, 'again')).toEqual({ seq })
    await expectStored(before - 2)
    expect((await boApi.send('GET', `/captures/${given.id}`)).status).toBe(404)
    const left = await service.mongo.collection('captures').findOne({ seq })
    expect(left).toMatchObject({ state: 'erased', reason: 'requested by a quoted person' })
    // A capture that its owner erased gets the reason, too. An open capture is deleted.
    const own = await sealIt()
    await api.call(capturesApi.deleteCapture, { params: { id: own.id } })
    await redact(own.id, 'late')
    expect(await service.mongo.collection('captures').findOne({ seq: own.sealed.seq })).toMatchObject({
      reason: 'late',
    })
    const open = await upload()
    expect(await redact(open.id, 'open')).toEqual({ seq: null })
    await expect(redact(open.id, 'open')).rejects.toMatchObject({ status: 404 })
    await expect(redact(given.id, ' ')).rejects.toMatchObject({ status: 422 })
  })

  it('of a deleted record stay if evidence cites them, else are erased once the IODs service answers', async () => {
    const record = tiktokPost()
    const body = { records: [record] }
    const { results } = await api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body })
    const recordId = 'id' in results[0]! ? results[0].id : ''
    const kept = await sealIt({ record: canonicalJson(record), text: 'quoted' })
    const uncited = await sealIt({ record: canonicalJson(record), text: 'not quoted' })
    cited.add(kept.id)
    const before = await stored()
    const requests: string[][] = []
    fixture.answer(evidenceInternal.citedCaptures, ({ body }) => {
      requests.push(body.ids)
      if (requests.length === 1) throw new HttpError(503, 'down')
      return body.ids.filter(id => cited.has(id))
    })
    await api.call(collectorApi.deleteRecord, { params: { source: 'tiktok', id: recordId } })
    await expectStored(before - 3)
    const left = await api.call(capturesApi.listCaptures)
    expect(left.map(({ id, record_id }) => [id, record_id])).toEqual([[kept.id, null]])
    expect((await api.send('GET', `/captures/${uncited.id}`)).status).toBe(404)
    expect(requests.map(ids => ids.length)).toEqual([2, 2])
  })

  it('of a record are erased if the record is deleted during the sealing', async () => {
    const ingested = async () => {
      const record = tiktokPost()
      const body = { records: [record] }
      const { results } = await api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body })
      return { id: 'id' in results[0]! ? results[0].id : '', json: canonicalJson(record) }
    }
    const deleteIt = (id: string) => api.call(collectorApi.deleteRecord, { params: { source: 'tiktok', id } })
    const left = () => api.call(capturesApi.listCaptures)
    // The deletion ends before the seal is in the log.
    const first = await ingested()
    const begun = await upload({ record: first.json })
    beforeNext(service.mongo.model('Checkpoint').collection, 'insertOne', () => deleteIt(first.id))
    await api.send('POST', `/captures/${begun.id}/seal`)
    await expect.poll(left, { timeout: 30_000 }).toEqual([])
    // The capture is sealed while the deletion is being committed.
    const second = await ingested()
    const { id } = await upload({ record: second.json })
    beforeNext(service.mongo.model('Removal'), 'create', () =>
      api.call(capturesApi.sealCapture, { params: { id } }),
    )
    await deleteIt(second.id)
    await expect.poll(left, { timeout: 30_000 }).toEqual([])
  })

  it('of a deleted account are erased; shared ones become unowned', async () => {
    const own = await sealIt()
    const open = await upload()
    const given = await sealIt()
    await api.call(capturesApi.shareCapture, { params: { id: given.id }, body: { shared: true } })
    const others = await sealIt({}, boApi)
    for (let round = 0; round < 2; round++)
      await fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } })
    const docs = await service.mongo.collection('captures').find().toArray()
    expect(docs.filter(doc => String(doc.user_id) === ana.id)).toEqual([])
    expect(docs.find(({ seq }) => seq === own.sealed.seq)).toMatchObject({ state: 'erased' })
    expect(docs.some(({ _id }) => String(_id) === open.id)).toBe(false)
    expect((await boApi.send('GET', `/captures/${own.id}`)).status).toBe(404)
    expect(await boApi.call(capturesApi.getCapture, { params: { id: given.id } })).toMatchObject({
      shared: true,
    })
    expect(await boApi.call(capturesApi.getCapture, { params: { id: others.id } })).toMatchObject({
      own: true,
    })
  })

  it('leave no usage document if they are redacted while their account is deleted', async () => {
    const given = await sealIt()
    await api.call(capturesApi.shareCapture, { params: { id: given.id }, body: { shared: true } })
    beforeNext(service.mongo, 'transaction', () =>
      fixture.internal(personalDataInternal.eraseUser, { params: { id: ana.id } }),
    )
    const reason = 'requested'
    await fixture.internal(capturesInternal.redactCapture, { params: { id: given.id }, body: { reason } })
    expect(await service.mongo.collection('usage').countDocuments({ _id: ana.id as never })).toBe(0)
  })

  it('from concurrent requests to two processes form one log without gaps', { tags: 'long' }, async () => {
    const second = await createApp(config, fixture.deps)
    const secondUrl = await second.listen()
    const there = apiClient(secondUrl, ana.token)
    try {
      const before = await api.call(sealsApi.getCheckpoint)
      const people = await Promise.all(Array.from({ length: runs(10) }, (_, n) => fixture.user(`p${n}`)))
      const begun = []
      for (const { token } of people)
        for (let n = 0; n < 2; n++) begun.push({ token, ...(await upload({}, apiClient(url, token))) })
      const clients = (token: string) => [apiClient(url, token), apiClient(secondUrl, token)]
      const answers = await Promise.all(
        begun.flatMap(({ id, token }) =>
          [...clients(token), ...clients(token)].map(client =>
            client.call(capturesApi.sealCapture, { params: { id } }),
          ),
        ),
      )
      const seqs = [...new Set(answers.map(({ seq }) => seq))].sort((a, b) => a - b)
      expect(seqs).toEqual(begun.map((_, n) => before.size + n))
      const [key = ''] = await keys()
      const now = await there.call(sealsApi.getCheckpoint)
      expect(now.size).toBe(before.size + begun.length)
      for (const { seal, proof, checkpoint } of answers) {
        expect(await verifyCheckpoint(checkpoint, key)).toBe(true)
        const leaf = await leafHash(seal)
        expect(await verifyInclusion(leaf, seal.seq, proof.size, proof.path, checkpoint.root)).toBe(true)
        const query = { from: checkpoint.size, to: now.size }
        const { path } = await api.call(sealsApi.getConsistency, { query })
        expect(await verifyConsistency(query.from, query.to, checkpoint.root, now.root, path)).toBe(true)
      }
    } finally {
      await second.close()
    }
  })

  it.each(['its own', 'another'])('complete an interrupted append with %s next seal', async next => {
    const first = await sealIt()
    const { id, sealed } = await sealIt()
    const { seq } = sealed
    // The state after a process was killed between the insert of the checkpoint and the other writes.
    const [captures, nodes, checkpoints] = ['captures', 'log_nodes', 'checkpoints'].map(name =>
      service.mongo.collection(name),
    ) as [Collection, Collection, Collection]
    const completed = Array.from({ length: 32 }, (_, level) => level)
      .filter(level => (seq + 1) % 2 ** level === 0)
      .map(level => `${level}.${(seq + 1) / 2 ** level - 1}`)
    const pendingNodes = await nodes.find({ _id: { $in: completed } } as never).toArray()
    expect(pendingNodes.length).toBe(completed.length)
    await nodes.deleteMany({ _id: { $in: completed } } as never)
    const _id = new Types.ObjectId(id)
    await captures.updateOne({ _id }, { $set: { state: 'open' }, $unset: { seq: 1 } })
    await checkpoints.updateOne({ _id: seq + 1 } as never, {
      $set: { append: { capture_id: _id, nodes: pendingNodes } },
    })
    expect((await api.call(sealsApi.getCheckpoint)).size).toBe(seq)

    if (next === 'another') expect((await sealIt()).sealed.seq).toBe(seq + 1)
    const again = await api.call(capturesApi.sealCapture, { params: { id } })
    expect(again.seal).toEqual(sealed.seal)
    expect(again.checkpoint).toEqual(sealed.checkpoint)
    const { size, root } = await api.call(sealsApi.getCheckpoint)
    const query = { from: first.sealed.checkpoint.size, to: size }
    const { path } = await api.call(sealsApi.getConsistency, { query })
    const before = first.sealed.checkpoint.root
    expect(await verifyConsistency(query.from, size, before, root, path)).toBe(true)
    expect(await nodes.countDocuments({ _id: { $in: completed } } as never)).toBe(completed.length)
  })

  it('stay verifiable with earlier keys', async () => {
    const { sealed } = await sealIt()
    const other = await createApp({ ...config, SEAL_PRIVATE_KEY: newSigningKey() }, fixture.deps)
    try {
      const there = apiClient(await other.listen(), ana.token)
      const { checkpoint } = await sealIt({}, there).then(({ sealed: answer }) => answer)
      const published = await api.call(sealsApi.getSealKeys)
      for (const signed of [sealed.checkpoint, checkpoint]) {
        const { public_key = '' } = published.find(({ key_id }) => key_id === signed.key_id) ?? {}
        expect(await verifyCheckpoint(signed, public_key)).toBe(true)
      }
      expect(sealed.checkpoint.key_id).not.toBe(checkpoint.key_id)
    } finally {
      await other.close()
    }
  })

  describe('reject', () => {
    it('bytes that differ from the manifest, and blobs of other users’ captures', async () => {
      const { manifest, contents } = await made()
      const { id } = await api.call(capturesApi.createCapture, { body: manifest })
      const [dom = '', text = ''] = [...contents.keys()]
      const lying = Uint8Array.from(contents.get(dom)!, byte => byte ^ 1)
      expect((await put(id, dom, lying)).status).toBe(422)
      expect((await put(id, dom, contents.get(dom)!.slice(1))).status).toBe(422)
      expect((await put(id, dom, bytes(`${'x'.repeat(200)}`))).status).toBe(413)
      expect((await put(id, 'f'.repeat(64), contents.get(dom)!)).status).toBe(404)
      expect((await put(id, 'XYZ', contents.get(dom)!)).status).toBe(404)
      expect((await put(id, dom, contents.get(dom)!, boApi)).status).toBe(404)
      expect((await api.send('PUT', `/captures/${id}/blobs/${dom}`, { a: 1 })).status).toBe(415)
      expect((await boApi.send('POST', `/captures/${id}/seal`)).status).toBe(404)
      for (const sha256 of [dom, text])
        expect((await put(id, sha256, contents.get(sha256)!)).status).toBe(200)
      await api.call(capturesApi.sealCapture, { params: { id } })
      expect((await put(id, dom, contents.get(dom)!)).status).toBe(409)
    })

    it('inconsistent and too large manifests', async () => {
      const blob = { role: 'media' as const, sha256: 'a'.repeat(64), bytes: 1, type: 'image/png' }
      const wrong: [number, (manifest: Manifest) => object][] = [
        [422, ({ blobs }) => ({ blobs: [...blobs, ...blobs] })],
        [422, ({ blobs }) => ({ blobs: blobs.map(each => ({ ...each, absent: true })) })],
        [422, () => ({ blobs: [] })],
        [422, () => ({ blobs: [{ ...blob, absent: true }] })],
        [422, ({ blobs }) => ({ blobs: [...blobs, blob, { ...blob, bytes: 2 }] })],
        [422, () => ({ blobs: Array.from({ length: LIMITS.captureBlobsMax + 1 }, () => blob) })],
        [422, () => ({ url: 'javascript:alert(1)' })],
        [422, () => ({ url: 'https://a.example/\r\nWARC-Type: response' })],
        [422, () => ({ url: ' https://a.example/' })],
        [422, () => ({ captured_at: 'yesterday' })],
        [422, () => ({ v: 2 })],
        [422, () => ({ owner: 'bo' })],
        [413, ({ blobs }) => ({ blobs: [...blobs, { ...blob, bytes: LIMITS.blobBytes + 1 }] })],
        [
          413,
          ({ blobs }) => ({
            blobs: [
              ...blobs,
              { ...blob, bytes: LIMITS.blobBytes },
              { ...blob, sha256: 'b'.repeat(64), bytes: LIMITS.blobBytes },
            ],
          }),
        ],
        // The quota.
        [413, ({ blobs }) => ({ blobs: [...blobs, { ...blob, bytes: QUOTA }] })],
        [413, () => ({ url: `https://a.example/${'x'.repeat(LIMITS.manifestBytes)}` })],
      ]
      for (const [status, change] of wrong) {
        const { manifest } = await made({ change })
        expect([(await post(manifest)).status, change.toString()]).toEqual([status, change.toString()])
      }
      expect(await api.call(capturesApi.listCaptures)).toEqual([])
    })

    it('a fourth open capture until one is sealed', async () => {
      const open = []
      for (let n = 0; n < LIMITS.openCapturesMax; n++) open.push(await upload())
      const { manifest } = await made()
      const refused = await post(manifest)
      expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('At most 3')])
      await api.call(capturesApi.sealCapture, { params: { id: open[0]?.id ?? '' } })
      expect((await post(manifest)).status).toBe(201)
    })

    it('blobs that do not match their role', { tags: 'long' }, async () => {
      const latin1 = await made({ text: 'caf' })
      const broken = Uint8Array.from([0x63, 0x61, 0x66, 0xe9])
      const sha256 = await sha256Hex(broken)
      const blobs = [{ role: 'text' as const, sha256, bytes: 4, type: 'text/plain' }]
      const { id } = await api.call(capturesApi.createCapture, { body: { ...latin1.manifest, blobs } })
      await put(id, sha256, broken)
      expect((await api.send('POST', `/captures/${id}/seal`)).status).toBe(422)
      await api.call(capturesApi.deleteCapture, { params: { id } })
      for (const record of ['{', '{}', '[]', canonicalJson({ ...tiktokPost(), more: 1 })]) {
        const capture = await upload({ record })
        expect((await api.send('POST', `/captures/${capture.id}/seal`)).status).toBe(422)
        await api.call(capturesApi.deleteCapture, { params: { id: capture.id } })
      }
      const long = await upload({ text: 'x'.repeat(LIMITS.captureTextMax + 1) })
      expect((await api.send('POST', `/captures/${long.id}/seal`)).status).toBe(422)
    })

    it('sizes and leaves that the log never had', async () => {
      const { size } = await api.call(sealsApi.getCheckpoint)
      const statuses = await Promise.all(
        [
          `/seals/${size}/proof`,
          `/seals/0/proof?size=${size + 1}`,
          '/seals/-1/proof',
          '/seals/x/proof',
          `/seals/consistency?from=0&to=${size}`,
          `/seals/consistency?from=1&to=${size + 1}`,
          `/seals/consistency?from=${size}&to=1`,
          '/seals/consistency',
        ].map(async path => (await api.send('GET', path)).status),
      )
      expect(statuses).toEqual([404, 404, 404, 404, 422, 422, 422, 422])
    })
  })

  it('are downloaded as verifiable web archives (WACZ)', async () => {
    const { id, manifest, sealed } = await sealIt({ text: 'Giant mirrors heat the lake', screenshot: PNG })
    const params = { id }
    const quote = {
      value: 'Giant mirrors',
      role: 'text' as const,
      pointer: '',
      start: 0,
      end: 13,
      exact: 'Giant mirrors',
    }
    fixture.answer(evidenceInternal.getCaptureEvidence, ({ body }) =>
      body.capture_id === id
        ? [
            {
              ...quote,
              id: 'a'.repeat(24),
              iod_id: 'b'.repeat(24),
              kind: 'capture' as const,
              capture_id: id,
              prefix: '',
              suffix: ' heat',
              relation: 'same' as const,
              url: manifest.url,
              captured_at: manifest.captured_at,
              created_by_id: null,
              created_by_username: null,
              created_at: '2026-11-23T11:00:00.000Z',
            },
          ]
        : [],
    )
    const fetched = async ({ token } = ana) => {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await fetch(`${url}${API_BASE}/captures/${id}/wacz`, { headers })
      return { headers: answer.headers, file: new Uint8Array(await answer.arrayBuffer()) }
    }
    const { headers, file } = await fetched()
    expect(headers.get('content-type')).toBe('application/wacz+zip')
    expect(headers.get('content-disposition')).toBe(`attachment; filename="capture-${id}.wacz"`)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(await verifyWacz(file, await keys())).toMatchObject({
      verdict: 'good',
      about: { url: manifest.url, seq: sealed.seq, receivedAt: sealed.seal.received_at },
      isKeyGiven: true,
    })
    // The bytes do not depend on the log's later growth.
    await sealIt({}, boApi)
    expect(Buffer.compare((await fetched()).file, file)).toBe(0)
    expect(Buffer.from(file).includes('Giant mirrors')).toBe(true)

    expect((await boApi.send('GET', `/captures/${id}/wacz`)).status).toBe(404)
    await api.call(capturesApi.shareCapture, { params, body: { shared: true } })
    expect(Buffer.compare((await fetched(bo)).file, file)).toBe(0)
    const open = await upload()
    expect((await api.send('GET', `/captures/${open.id}/wacz`)).status).toBe(409)
    await api.call(capturesApi.deleteCapture, { params })
    expect((await api.send('GET', `/captures/${id}/wacz`)).status).toBe(404)
  })

  // S3-compatible stores have no partial objects.
  it.skipIf(storage === 's3')('lose the partial blobs of a crash when they are erased', async () => {
    const { id, manifest } = await upload()
    const sha256 = manifest.blobs[0]?.sha256
    const left = () =>
      storage === 'file'
        ? readdir(join(folder, id)).catch(() => [])
        : service.mongo
            .collection('blobs.chunks')
            .find({ files_id: { $regex: `^${id}/` } })
            .toArray()
    if (storage === 'file') await writeFile(join(folder, id, `${sha256}.partial`), 'half')
    else
      await service.mongo
        .collection('blobs.chunks')
        .insertOne({ files_id: `${id}/${sha256}/partial`, n: 0, data: Buffer.from('half') })
    expect(await left()).toHaveLength(3)
    await api.call(capturesApi.deleteCapture, { params: { id } })
    await expect.poll(left, { timeout: 30_000 }).toEqual([])
  })

  it('that stay open are erased after a day', async () => {
    const { id } = await upload()
    const before = await stored()
    const captures = service.mongo.collection('captures')
    const old = new Date(Date.now() - 25 * 3_600_000)
    const [doc] = await captures.find().sort({ _id: -1 }).limit(1).toArray()
    expect(String(doc?._id)).toBe(id)
    await captures.updateOne({ _id: doc?._id as never }, { $set: { created_at: old } })
    await service.tasks.run('open-captures')
    expect((await api.send('GET', `/captures/${id}`)).status).toBe(404)
    expect(await captures.countDocuments({ _id: doc?._id as never })).toBe(0)
    await expectStored(before - 2)
    // The erasure's handler still reads after the last blob is deleted.
    const erasures = () => service.mongo.collection('outbox').countDocuments({ kind: 'capture.erased' })
    await expect.poll(erasures, { timeout: 30_000 }).toBe(0)
    const { all, writes } = await commandsOf(service.mongo, () => service.tasks.run('open-captures'))
    expect([all.length, writes]).toEqual([1, []])
  })

  it('that are sealed during the erasure of old open captures stay', async () => {
    const { id } = await upload()
    const old = { $set: { created_at: new Date(0) } }
    await service.mongo.collection('captures').updateOne({ _id: new Types.ObjectId(id) }, old)
    beforeNext(service.mongo, 'transaction', () => api.call(capturesApi.sealCapture, { params: { id } }))
    await service.tasks.run('open-captures')
    expect(await api.call(capturesApi.getCapture, { params: { id } })).toMatchObject({ state: 'sealed' })
  })

  it.runIf(storage === 's3')(
    'are erased while the blob store is down; their blobs are deleted once it is up',
    async () => {
      const { id } = await sealIt()
      const server = s3 ?? expect.unreachable()
      const before = await stored()
      server.isDown = true
      await api.call(capturesApi.deleteCapture, { params: { id } })
      const entry = { kind: 'capture.erased', key: id }
      const outbox = service.mongo.collection('outbox')
      await vi.waitFor(
        async () => expect((await outbox.findOne(entry))?.attempts).toBeGreaterThan(1),
        150_000,
      )
      expect((await api.send('GET', `/captures/${id}`)).status).toBe(404)
      expect(await stored()).toBe(before)
      server.isDown = false
      await expectStored(before - 2)
    },
  )
}
describe.each(['gridfs'] as const)('captures in %s storage', capturesIn)
// Short runs: the harness covers files, and blobs.test.ts covers S3.
describe.each(['file', 's3'] as const)('captures in %s storage', { tags: 'long' }, capturesIn)
