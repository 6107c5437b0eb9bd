import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import {
  type Manifest,
  REPORT_MANIFEST_CONTEXT,
  type ReportContent,
  type ReportSeal,
} from '@iodine/contracts'
import {
  canonicalJson,
  checkpointText,
  inclusionPath,
  keyIdOf,
  leafHash,
  manifestHash,
  nodesAfterAppend,
  rootOf,
  sha256Hex,
} from '@iodine/evidence'
import { verifyReport } from '@iodine/evidence/report'
import { buildWacz } from '@iodine/evidence/wacz'
import { isLongTier, propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { toFiles } from '../src/index.js'
import { contentOf } from './content.js'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const OTHER = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
const AT = '2026-11-28T07:00:05.000Z'
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))
const signed = (bytes: Uint8Array) => sign(null, bytes, privateKey).toString('base64url')

/** Returns a seal of a manifest's hash as entry `seq` of a log of this size. */
const sealIn = async (manifest_hash: string, { seq, size }: { seq: number; size: number }) => {
  const seal = { seq, manifest_hash, received_at: AT, salt: 'c2FsdA' }
  const nodes = new Map<string, string>()
  let frontier: string[] = []
  for (let at = 0; at < size; at++) {
    const leaf = at === seq ? await leafHash(seal) : createHash('sha256').update(`${at}`).digest('hex')
    const grown = await nodesAfterAppend(frontier, at, leaf)
    frontier = grown.frontier
    for (const { level, index, hash } of grown.nodes) nodes.set(`${level} ${index}`, hash)
  }
  const path = await inclusionPath(async (level, index) => nodes.get(`${level} ${index}`) ?? '', seq, size)
  const fields = { size, root: await rootOf(frontier), at: AT, key_id: await keyIdOf(PEM) }
  return {
    seal,
    proof: { seq, size, leaf_hash: await leafHash(seal), path },
    checkpoint: { ...fields, sig: signed(bytesOf(checkpointText(fields))) },
  }
}

/** Returns the files of a version with the signature of its manifest. */
const filesOf = async (content: ReportContent): Promise<Map<string, Uint8Array>> => {
  const files = new Map(toFiles(content).map(({ name, bytes }) => [name as string, bytes]))
  const manifest = files.get('manifest.json') ?? new Uint8Array()
  const seal: ReportSeal = {
    v: 1,
    key_id: await keyIdOf(PEM),
    public_key: PEM,
    sig: signed(Buffer.concat([Buffer.from(REPORT_MANIFEST_CONTEXT), manifest])),
    ...(await sealIn(await sha256Hex(manifest), { seq: 12, size: 13 })),
  }
  return files.set('manifest.json.sig', bytesOf(`${canonicalJson(seal)}\n`))
}

const QUOTE = 'Giant mirrors heat the lake'
const TEXT = `They say so: ${QUOTE}.`

/** Returns a capture's web archive, which is entry 3 of the log, and the hash of its manifest. */
const capture = async (text = TEXT) => {
  const blob = bytesOf(text)
  const sha256 = await sha256Hex(blob)
  const manifest: Manifest = {
    v: 1,
    source: 'blog',
    url: 'https://paper.example/lake',
    captured_at: AT,
    trigger: 'collect',
    collector: 'test/1',
    projection: 'iodine-text-1',
    blobs: [{ role: 'text', type: 'text/plain', sha256, bytes: blob.length }],
  }
  const hash = await manifestHash(manifest)
  const { seal, proof, checkpoint } = await sealIn(hash, { seq: 3, size: 7 })
  const start = text.indexOf(QUOTE)
  const wacz = await buildWacz({
    ...{ manifest, seal, proof, checkpoint: { ...checkpoint, anchors: [] } },
    keys: [{ key_id: checkpoint.key_id, public_key: PEM }],
    blobs: new Map([[sha256, blob]]),
    evidence: [
      ...(start < 0
        ? []
        : [
            { created_at: AT, value: 'mirrors', role: 'text', pointer: '', start, end: start + QUOTE.length },
          ]),
    ],
  })
  return { wacz, hash }
}

let files: Map<string, Uint8Array>
beforeAll(async () => {
  files = await filesOf(contentOf())
})
const failed = async (given: ReadonlyMap<string, Uint8Array>, keys = [PEM]) => {
  const { verdict, checks } = await verifyReport(given, keys)
  return [verdict, ...checks.flatMap(({ name, ok }) => (ok ? [] : [name]))]
}
const edited = (name: string, change: (text: string) => string) =>
  new Map(files).set(name, bytesOf(change(Buffer.from(files.get(name) ?? []).toString())))

describe('the files of a report', () => {
  it('pass verification, all of them or some', async () => {
    expect(await verifyReport(files, [PEM])).toMatchObject({
      verdict: 'good',
      isKeyGiven: true,
      about: { report: 'abcdefghijklmnop', n: 1, seq: 12, receivedAt: AT },
    })
    const some = ['manifest.json', 'manifest.json.sig', 'report.json']
    const { verdict, checks } = await verifyReport(
      new Map([...files].filter(([name]) => some.includes(name))),
    )
    expect(verdict).toBe('good')
    expect(checks.find(({ name }) => name === 'content')?.says).toContain('1 of 11 files')
  })
  it('fail verification with any flipped bit of any file', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files.keys()),
        fc.nat(),
        fc.nat({ max: 7 }),
        async (name, at, bit) => {
          const bytes = Uint8Array.from(files.get(name) ?? [])
          const n = at % bytes.length
          bytes[n] = (bytes[n] ?? 0) ^ (1 << bit)
          const needed = ['manifest.json', 'manifest.json.sig', name]
          const given = new Map([...files].filter(([each]) => needed.includes(each))).set(name, bytes)
          expect((await verifyReport(given, [PEM])).verdict).not.toBe('good')
        },
      ),
      { ...propertyRuns(20_000), ...(!isLongTier && { numRuns: 200 }) },
    )
  })
  it('fail verification with any flipped bit of the signature’s file', { timeout: 240_000 }, async () => {
    const whole = files.get('manifest.json.sig') ?? new Uint8Array()
    const step = isLongTier ? 1 : 97
    for (let at = 0; at < whole.length * 8; at += step) {
      const bytes = Uint8Array.from(whole)
      const n = Math.floor(at / 8)
      bytes[n] = (bytes[n] ?? 0) ^ (1 << (at % 8))
      const manifest = files.get('manifest.json') ?? new Uint8Array()
      const given = new Map([
        ['manifest.json', manifest],
        ['manifest.json.sig', bytes],
      ])
      for (const keys of [[PEM], []])
        expect([at, (await verifyReport(given, keys)).verdict]).not.toEqual([at, 'good'])
    }
  })
  it('fail the check of the changed part', async () => {
    expect(await failed(edited('report.md', text => `${text}x`))).toEqual(['changed', 'content'])
    expect(await failed(new Map(files).set('other.txt', bytesOf('x')))).toEqual(['changed', 'content'])
    expect(await failed(edited('manifest.json', text => text.replace('"n":1', '"n":2')))).toEqual([
      'changed',
      'signature',
      'log',
    ])
    expect(await failed(edited('manifest.json.sig', text => text.replace('c2FsdA', 'c2FsdB')))).toEqual([
      'changed',
      'log',
    ])
    expect(await failed(files, [OTHER])).toEqual(['changed', 'signature', 'log'])
    for (const name of ['manifest.json', 'manifest.json.sig']) {
      const without = new Map(files)
      without.delete(name)
      expect(await failed(without)).toEqual(['unreadable', 'file'])
      expect(await failed(edited(name, () => '{'))).toEqual(['unreadable', 'file'])
    }
  })
})

describe('a capture beside the files', () => {
  const withExhibit = async (manifest_hash: string) =>
    filesOf(
      contentOf({ exhibits: contentOf().exhibits.map(each => ({ ...each, quote: QUOTE, manifest_hash })) }),
    )

  it('verifies the quotes of its exhibits', async () => {
    const { wacz, hash } = await capture()
    const { verdict, checks } = await verifyReport((await withExhibit(hash)).set('lake.wacz', wacz), [PEM])
    expect(verdict).toBe('good')
    expect(checks.at(-1)).toEqual({
      name: 'evidence',
      ok: true,
      says: 'lake.wacz contains the quotes of E1.',
    })
  })
  it('fails verification if it is another capture, was changed, or lacks the quote', async () => {
    const { wacz, hash } = await capture()
    const other = await capture('Nothing of the kind')
    const given = await withExhibit(hash)
    expect(await failed(new Map(given).set('a.wacz', other.wacz))).toEqual(['changed', 'evidence'])
    const spoiled = wacz.slice()
    spoiled[100] = (spoiled[100] ?? 0) ^ 1
    expect(await failed(new Map(given).set('a.wacz', spoiled))).toEqual(['changed', 'evidence'])
    expect(await failed((await withExhibit(other.hash)).set('a.wacz', other.wacz))).toEqual([
      'changed',
      'evidence',
    ])
    const without = new Map(given).set('a.wacz', wacz)
    without.delete('report.json')
    expect(await failed(without)).toEqual(['changed', 'evidence'])
  })
})
