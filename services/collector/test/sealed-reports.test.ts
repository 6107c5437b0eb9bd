import { reportSealsInternal, sealsApi } from '@iodine/contracts'
import { canonicalJson, sha256Hex, verifyConsistency } from '@iodine/evidence'
import { verifyReport } from '@iodine/evidence/report'
import { readConfig, type StoreService } from '@iodine/service-kit'
import { apiClient, type ServiceFixture, sealCapture, startServiceFixture } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CollectorConfig, collectorConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
let config: CollectorConfig
let service: StoreService
let url: string

beforeAll(async () => {
  fixture = await startServiceFixture()
  config = readConfig(collectorConfigSchema, fixture.env)
  service = await createApp(config, fixture.deps)
  url = await fixture.listen(service)
})
afterAll(() => fixture?.stop())

const manifestOf = (n: number) =>
  new Uint8Array(Buffer.from(`${canonicalJson({ v: 1, report: 'a', n, files: [] })}\n`))
const seal = (n: number) => fixture.internal(reportSealsInternal.sealReport, { body: manifestOf(n) })

it('manifests of reports are entries of the log of captures, in any order', async () => {
  const { token } = await fixture.user('ana')
  const { call } = apiClient(url, token)
  const first = await sealCapture(call, { text: 'before' })
  const [seals, captures] = await Promise.all([
    Promise.all([1, 2, 3, 4, 5].map(seal)),
    Promise.all(['a', 'b', 'c'].map(text => sealCapture(call, { text }))),
  ])
  const [published] = await call(sealsApi.getSealKeys)
  for (const [at, answer] of seals.entries()) {
    const files = new Map([
      ['manifest.json', manifestOf(at + 1)],
      ['manifest.json.sig', new Uint8Array(Buffer.from(`${canonicalJson(answer)}\n`))],
    ])
    expect(await verifyReport(files, [published?.public_key ?? ''])).toMatchObject({
      verdict: 'good',
      about: { n: at + 1, seq: answer.seal.seq },
    })
    const proof = await call(sealsApi.getInclusion, { params: { seq: answer.seal.seq } })
    expect(proof.leaf_hash).toBe(answer.proof.leaf_hash)
  }
  const entries = [first.seq, ...seals.map(each => each.seal.seq), ...captures.map(({ seq }) => seq)]
  expect(entries.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  const { size, root } = await call(sealsApi.getCheckpoint)
  const { path } = await call(sealsApi.getConsistency, { query: { from: 1, to: size } })
  expect(await verifyConsistency(1, size, first.checkpoint.root, root, path)).toBe(true)
})

it('an interrupted append of a manifest is completed by the next', async () => {
  const { seal: interrupted, proof } = await seal(6)
  const _id = `0.${interrupted.seq}`
  const [nodes, checkpoints] = ['log_nodes', 'checkpoints'].map(name => service.mongo.collection(name))
  await nodes?.deleteOne({ _id } as never)
  const pending = [{ _id, hash: proof.leaf_hash }]
  await checkpoints?.updateOne({ _id: interrupted.seq + 1 } as never, {
    $set: { append: { nodes: pending } },
  })
  const next = await seal(7)
  expect(next.seal.seq).toBe(interrupted.seq + 1)
  expect(next.seal.manifest_hash).toBe(await sha256Hex(manifestOf(7)))
  expect(await nodes?.findOne({ _id } as never)).toMatchObject({ hash: proof.leaf_hash })
})
