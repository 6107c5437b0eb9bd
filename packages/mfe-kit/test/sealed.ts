import { generateKeyPairSync, sign } from 'node:crypto'
import type { Capture, Checkpoint, Evidence, Manifest, Seal } from '@iodine/contracts'
import {
  canonicalJson,
  checkpointText,
  inclusionPath,
  leafHash,
  manifestHash,
  nodesAfterAppend,
  rootOf,
  sha256Hex,
} from '@iodine/evidence'
import type { Routes } from '../testing'

const AT = '2026-11-20T10:00:00.000Z'
const CAPTURE_ID = 'c'.repeat(24)
export const IOD = { id: 'a'.repeat(24), value: 'heat the lake' }

const encode = (text: string) => new TextEncoder().encode(text)

/** Creates a page's text, a record, and a seal of both as entry 3 of a log of 5, with the log's signing key. */
export async function sealedCapture(text: string, record: object) {
  const contents = { text: encode(text), record: encode(canonicalJson(record)) }
  const picture = encode('not a picture')
  const blobs = await Promise.all([
    ...(['text', 'record'] as const).map(async role => ({
      role,
      sha256: await sha256Hex(contents[role]),
      bytes: contents[role].length,
      type: role === 'text' ? 'text/plain' : 'application/json',
    })),
    {
      role: 'screenshot' as const,
      sha256: await sha256Hex(picture),
      bytes: picture.length,
      type: 'image/png',
    },
    { role: 'media' as const, sha256: 'b'.repeat(64), bytes: 9, type: 'image/svg+xml' },
  ])
  const manifest: Manifest = {
    v: 1,
    source: 'blog',
    url: 'https://varnelwatch.example/mirrors',
    captured_at: AT,
    trigger: 'collect',
    collector: 'iodine-collector/1.0.0',
    projection: 'iodine-text-1',
    blobs,
  }
  const seal: Seal = {
    seq: 3,
    manifest_hash: await manifestHash(manifest),
    received_at: AT,
    salt: 'AAAAAAAAAAAAAAAAAAAAAA',
  }
  const nodes = new Map<string, string>()
  let frontier: string[] = []
  for (let seq = 0; seq < 5; seq++) {
    const leaf = seq === seal.seq ? await leafHash(seal) : await sha256Hex(`other ${seq}`)
    const grown = await nodesAfterAppend(frontier, seq, leaf)
    frontier = grown.frontier
    for (const { level, index, hash } of grown.nodes) nodes.set(`${level} ${index}`, hash)
  }
  const nodeAt = async (level: number, index: number) => nodes.get(`${level} ${index}`) as string
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const state = { size: 5, root: await rootOf(frontier), at: AT, key_id: 'key-1' }
  const checkpoint: Checkpoint = {
    ...state,
    sig: sign(null, Buffer.from(checkpointText(state)), privateKey).toString('base64url'),
    anchors: [],
  }
  const keys = [
    {
      key_id: 'key-1',
      algorithm: 'Ed25519' as const,
      public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    },
  ]
  const proof = { seq: 3, size: 5, leaf_hash: await leafHash(seal), path: await inclusionPath(nodeAt, 3, 5) }
  const capture: Capture = {
    id: CAPTURE_ID,
    source: 'blog',
    record_id: null,
    url: manifest.url,
    captured_at: AT,
    received_at: AT,
    state: 'sealed',
    seq: 3,
    shared: false,
    bytes: 100,
    own: true,
    manifest_hash: seal.manifest_hash,
    manifest,
    seal,
  }
  const bytesOf = new Map(
    blobs.map(blob => [blob.sha256, blob.role === 'record' ? contents.record : contents.text]),
  )
  bytesOf.set(blobs[2]?.sha256 ?? '', picture)
  const routes: Routes = {
    'GET /seals/checkpoint': () => [200, checkpoint],
    'GET /seals/keys': () => [200, keys],
    'GET /seals/:seq/proof': () => [200, proof],
    'GET /captures/:id': () => [200, capture],
    'GET /captures/:id/text': () => [200, { text }],
    'GET /captures/:id/blobs/:sha256': ({ params }) => [200, bytesOf.get(params.sha256 ?? '') ?? picture],
    'GET /captures/:id/wacz': () => [200, encode('PK')],
  }
  return { capture, seal, checkpoint, proof, keys, routes, contents, bytesOf }
}

/** Creates a piece of evidence that quotes a text. */
export const quoting = (text: string, exact: string, change: Partial<Evidence> = {}): Evidence => {
  const start = text.indexOf(exact)
  const end = start + exact.length
  return {
    id: 'e'.repeat(24),
    iod_id: IOD.id,
    kind: 'capture',
    capture_id: CAPTURE_ID,
    role: 'text',
    pointer: '',
    start,
    end,
    exact,
    prefix: text.slice(Math.max(0, start - 64), start),
    suffix: text.slice(end, end + 64),
    relation: 'same',
    url: 'https://varnelwatch.example/mirrors',
    captured_at: AT,
    seal: null,
    open: true,
    shared: false,
    created_by_id: null,
    created_by_username: null,
    created_at: AT,
    ...change,
  }
}
