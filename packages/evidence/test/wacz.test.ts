import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { LIMITS, type Manifest } from '@iodine/contracts'
import { unzipSync, zipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { WARCParser } from 'warcio'
import {
  checkpointText,
  inclusionPath,
  leafHash,
  manifestHash,
  type NodeAt,
  nodesAfterAppend,
  rootOf,
  sha256Hex,
} from '../src/index.js'
import { buildWacz, verifyWacz, type WaczInput } from '../src/wacz/index.js'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const OTHER = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const TEXT = '😀 They say so:\n\u202eGiant mirrors heat the lake.'
const RECORD = { main: { description: 'Giant mirrors heat the lake 😀' } }

/** Returns a sealed capture: entry 4 of a log of seven entries. */
const sealed = async (more: [string, Uint8Array][] = []): Promise<WaczInput> => {
  const contents = [
    ['dom', 'text/html', bytes('<p>Giant mirrors heat the lake.</p>')],
    ['text', 'text/plain', bytes(TEXT)],
    ['record', 'application/json', bytes(JSON.stringify(RECORD))],
    ...more.map(([type, content]) => ['media', type, content] as const),
  ] as const
  const blobs = await Promise.all(
    contents.map(async ([role, type, content]) => ({
      role,
      type,
      sha256: await sha256Hex(content),
      bytes: content.length,
      ...(role === 'media' && { url: `https://paper.example/${content.length}.png` }),
    })),
  )
  const manifest: Manifest = {
    v: 1,
    source: 'blog',
    url: 'https://paper.example/2026/lake?id=1',
    captured_at: '2026-11-23T10:00:00.000+01:00',
    trigger: 'collect',
    collector: 'test/1',
    projection: 'iodine-text-1',
    blobs: [
      ...blobs,
      { role: 'media', type: 'video/mp4', sha256: 'f'.repeat(64), bytes: 9_999_999, absent: true },
    ],
  }
  const seal = {
    seq: 4,
    manifest_hash: await manifestHash(manifest),
    received_at: '2026-11-23T09:00:05.000Z',
    salt: 'c2FsdA',
  }
  const nodes = new Map<string, string>()
  let frontier: string[] = []
  for (let seq = 0; seq < 7; seq++) {
    const leaf = seq === seal.seq ? await leafHash(seal) : createHash('sha256').update(`${seq}`).digest('hex')
    const grown = await nodesAfterAppend(frontier, seq, leaf)
    frontier = grown.frontier
    for (const { level, index, hash } of grown.nodes) nodes.set(`${level} ${index}`, hash)
  }
  const nodeAt: NodeAt = async (level, index) => nodes.get(`${level} ${index}`) ?? ''
  const fields = { size: 7, root: await rootOf(frontier), at: '2026-11-23T09:00:06.000Z', key_id: 'k1' }
  const sig = sign(null, Buffer.from(checkpointText(fields)), privateKey).toString('base64url')
  const at = TEXT.indexOf('Giant')
  const quote = { created_at: '2026-11-23T10:00:00.000Z', value: 'Giant mirrors' }
  return {
    manifest,
    seal,
    proof: { seq: 4, size: 7, leaf_hash: await leafHash(seal), path: await inclusionPath(nodeAt, 4, 7) },
    checkpoint: { ...fields, sig, anchors: [] },
    keys: [{ key_id: 'k1', public_key: PEM }],
    blobs: new Map(contents.map(([, , content], index) => [blobs[index]?.sha256 ?? '', content])),
    evidence: [
      { ...quote, role: 'text', pointer: '', start: at, end: at + 13 },
      { ...quote, role: 'record', pointer: '/main/description', start: 0, end: 13 },
    ],
  }
}

let input: WaczInput
let wacz: Uint8Array
beforeAll(async () => {
  input = await sealed([['image/png', new Uint8Array(randomBytes(2_000))]])
  wacz = await buildWacz(input)
})
const failed = async (data: Uint8Array, keys = [PEM]) => {
  const { verdict, checks } = await verifyWacz(data, keys)
  return [verdict, checks.flatMap(({ name, ok }) => (ok ? [] : [name]))]
}

describe('a web archive of a capture', () => {
  it('passes verification, and is deterministic', async () => {
    const report = await verifyWacz(wacz, [PEM])
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([])
    expect(report).toMatchObject({
      verdict: 'good',
      isKeyGiven: true,
      about: { url: input.manifest.url, seq: 4, receivedAt: input.seal.received_at },
    })
    expect(await verifyWacz(wacz)).toMatchObject({ verdict: 'good', isKeyGiven: false })
    expect(Buffer.from(await buildWacz(input)).equals(wacz)).toBe(true)
  })

  it('is readable by a third-party WARC reader', async () => {
    const files = unzipSync(wacz)
    const data = files['archive/data.warc.gz'] as Uint8Array<ArrayBuffer>
    const records = []
    for await (const record of new WARCParser(new Blob([data]).stream() as never)) {
      const content = await record.readFully(false)
      records.push([record.warcType, record.warcTargetURI, Buffer.from(content).toString('latin1').length])
    }
    const { url } = input.manifest
    expect(records).toEqual([
      ['resource', url, 35],
      ['resource', `urn:text:${url}`, bytes(TEXT).length],
      ['resource', `urn:record:${url}`, bytes(JSON.stringify(RECORD)).length],
      ['resource', 'https://paper.example/2000.png', 2_000],
    ])
    // Each line of the index refers to a separate record.
    const index = Buffer.from(files['indexes/index.cdx'] as Uint8Array)
      .toString()
      .trim()
      .split('\n')
    expect(index).toHaveLength(4)
    for (const line of index) {
      const [, , json = ''] = /^(\S+ \d{14}) (\{.*\})$/.exec(line) ?? []
      const { offset, length, url: target } = JSON.parse(json)
      const [record] = await WARCParser.parse(
        new Blob([data.slice(offset, offset + length)]).stream() as never,
      ).then(parsed => [parsed])
      expect(record?.warcTargetURI).toBe(target)
    }
    const description = JSON.parse(Buffer.from(files['datapackage.json'] as Uint8Array).toString())
    expect(description).toMatchObject({ profile: 'data-package', wacz_version: '1.1.1' })
    for (const { path, hash, bytes: size } of description.resources)
      expect([await sha256Hex(files[path] as Uint8Array), files[path]?.length]).toEqual([hash.slice(7), size])
  })

  it.each(Array.from({ length: 20 }, (_, n) => n))('has all records in a third-party reader: %i', async n => {
    const more = Array.from({ length: n % 7 }, (): [string, Uint8Array] => [
      n % 2 ? 'image/jpeg' : 'video/mp4',
      // Also an empty blob, one byte, and bytes that look like the end of a record.
      n % 5 === 0 ? bytes('\r\n\r\nWARC/1.1\r\n'.repeat(n)) : new Uint8Array(randomBytes(n ** 4 % 50_000)),
    ])
    const made = await sealed(more)
    const files = unzipSync(await buildWacz(made))
    const data = files['archive/data.warc.gz'] as Uint8Array<ArrayBuffer>
    const read = new Set<string>()
    for await (const record of new WARCParser(new Blob([data]).stream() as never)) {
      expect([record.warcType, record.warcHeaders.protocol]).toEqual(['resource', 'WARC/1.1'])
      read.add(await sha256Hex((await record.readFully(false)) as Uint8Array<ArrayBuffer>))
    }
    expect([...read].sort()).toEqual([...made.blobs.keys()].sort())
  })

  it('states the positions of quotes in code points', async () => {
    const [first, second] = JSON.parse(
      Buffer.from(unzipSync(wacz)['iodine/evidence.json'] as Uint8Array).toString(),
    )
    const { start, end } = first.target.selector[1]
    expect(Array.from(TEXT).slice(start, end).join('')).toBe('Giant mirrors')
    expect(second.target.selector[0]).toMatchObject({
      value: '/main/description',
      refinedBy: [{ exact: 'Giant mirrors' }, {}],
    })
  })

  const flips = Number(process.env.ROUNDS ?? 200)
  it('fails verification with any flipped bit', { timeout: 60_000 + flips * 50 }, async () => {
    let seed = 7
    const below = (n: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % n
    }
    for (let round = 0; round < flips; round++) {
      const at = below(wacz.length)
      const bit = below(8)
      const spoiled = wacz.slice()
      spoiled[at] = (spoiled[at] ?? 0) ^ (1 << bit)
      const { verdict } = await verifyWacz(spoiled, [PEM])
      expect([at, bit, verdict]).not.toEqual([at, bit, expect.stringMatching(/good|erased/)])
    }
  })

  it('reports the changed part', async () => {
    const files = unzipSync(wacz)
    const repacked = (change: Record<string, Uint8Array>) => zipSync({ ...files, ...change }, { level: 0 })
    const edited = (name: string, from: string, to: string) =>
      repacked({
        [name]: bytes(
          Buffer.from(files[name] as Uint8Array)
            .toString()
            .replace(from, to),
        ),
      })
    expect(await failed(edited('iodine/manifest.json', 'paper.example', 'other.example'))).toEqual([
      'changed',
      ['file', 'manifest'],
    ])
    expect(await failed(edited('iodine/seal.json', '09:00:05', '08:00:05'))).toEqual([
      'changed',
      ['file', 'log'],
    ])
    expect(await failed(edited('iodine/seal.json', '"size":7', '"size":8'))).toEqual([
      'changed',
      expect.arrayContaining(['signature']),
    ])
    expect(await failed(edited('iodine/evidence.json', '"exact":"Giant', '"exact":"Small'))).toEqual([
      'changed',
      ['file', 'evidence'],
    ])
    const forgeries = [
      ['"exact":"Giant mirrors","prefix":"","suffix":" heat the lake 😀"', '"exact":"Small mirrors"'],
      ['/main/description', '/main/other'],
      [`urn:sha256:${input.manifest.blobs[1]?.sha256}`, `urn:sha256:${'0'.repeat(64)}`],
    ] as const
    for (const [from, to] of forgeries)
      expect([to, await failed(edited('iodine/evidence.json', from, to))]).toEqual([
        to,
        ['changed', ['file', 'evidence']],
      ])
    expect(await failed(wacz, [OTHER])).toEqual(['changed', ['signature']])
    // A forged archive with new hashes: everything is consistent except the seal.
    const { sha256 = '' } = input.manifest.blobs[1] ?? {}
    const forged = bytes(TEXT.replace('heat', 'boil'))
    const manifest = structuredClone(input.manifest)
    Object.assign(manifest.blobs[1] ?? {}, { sha256: await sha256Hex(forged), bytes: forged.length })
    const blobs = new Map([...input.blobs, [await sha256Hex(forged), forged]])
    blobs.delete(sha256)
    expect(await failed(await buildWacz({ ...input, manifest, blobs }))).toEqual(['changed', ['manifest']])
  })

  it('reports erased content', async () => {
    const blobs = new Map([...input.blobs].slice(1))
    expect(await failed(await buildWacz({ ...input, blobs }))).toEqual(['erased', []])
  })

  it('is reported as unreadable if it is malformed or a decompression bomb', { tags: 'long' }, async () => {
    const files = unzipSync(wacz)
    const bomb = new Uint8Array(LIMITS.captureBytes * 3)
    const traps = [
      new Uint8Array(),
      bytes('PK'),
      new Uint8Array(randomBytes(5_000)),
      wacz.slice(0, -30),
      zipSync({ ...files, '../../etc/passwd': bytes('x') }),
      zipSync({ ...files, 'archive/more.warc.gz': bytes('x') }),
      zipSync({ ...files, 'iodine/manifest.json': bytes('[]') }),
      zipSync({ ...files, 'iodine/manifest.json': bytes('null') }),
      zipSync({ ...files, 'iodine/seal.json': bytes('{"seal":{}}') }),
      zipSync({ ...files, 'pages/pages.jsonl': bomb }, { level: 1 }),
      new Uint8Array(deflateSync(bomb)),
      new Uint8Array(brotliCompressSync(bytes('x'))),
    ]
    for (const trap of traps) expect((await verifyWacz(trap, [PEM])).verdict).toBe('unreadable')
    // A decompression bomb.
    const trap = zipSync({ ...files, 'archive/data.warc.gz': gzipSync(bomb) }, { level: 0 })
    expect(trap.length).toBeLessThan(1_000_000)
    expect(await failed(trap)).toEqual(['changed', ['file', 'content']])
  })
})
