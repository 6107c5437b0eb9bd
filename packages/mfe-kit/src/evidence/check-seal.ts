import type { Checkpoint, Seal } from '@iodine/contracts'
import {
  leafHash,
  manifestHash,
  pointerValue,
  sha256Hex,
  verifyCheckpoint,
  verifyInclusion,
} from '@iodine/evidence'
import type { ApiClient } from '../api-client'
import type { Output } from '../routes'

type Keys = Output<'GET /seals/keys'>

/** Quoted words, and where they stand in the capture. */
export interface QuotedPlace {
  role: string
  pointer: string
  start: number
  end: number
  exact: string
}

/** One thing that was checked. */
export interface Check {
  name: 'seal' | 'log' | 'signature' | 'content'
  ok: boolean
  /** What was found, as a sentence. */
  says: string
}

export interface SealReport {
  checks: Check[]
  /** Whether all of them hold. */
  holds: boolean
  /** The signed state of the log that they were made against. */
  checkpoint: Checkpoint
}

/**
 * Checks a seal in this browser, against the log that the server shows now: that the seal gives the log's entry,
 * that the entry is in the log (RFC 9162, 2.1.3), and that the log's state is signed. With a capture that may be
 * opened, also that its content is what was sealed and says the words. Rejects if something can't be read.
 */
export async function checkSeal(
  api: ApiClient,
  seal: Seal,
  opened?: { captureId: string; quote: QuotedPlace | null },
): Promise<SealReport> {
  const [checkpoint, keys] = await Promise.all([
    api.call('GET /seals/checkpoint'),
    api.call('GET /seals/keys'),
  ])
  const { seq } = seal
  const { size, root } = checkpoint
  const proof = await api.call('GET /seals/:seq/proof', { params: { seq }, query: { size } })
  const leaf = await leafHash(seal)
  const isInLog = proof.size === size && (await verifyInclusion(leaf, seq, size, proof.path, root))
  const checks: Check[] = [
    says(
      'seal',
      proof.leaf_hash === leaf,
      `Fingerprint, time of receipt and salt of this seal give entry ${seq} of the log.`,
      `Fingerprint, time of receipt and salt of this seal do not give entry ${seq} of the log.`,
    ),
    says(
      'log',
      isInLog,
      `The entry is in the log of ${size} ${size === 1 ? 'entry' : 'entries'}.`,
      `The entry is not in the log of ${size} ${size === 1 ? 'entry' : 'entries'}.`,
    ),
    await checkSignature(checkpoint, keys),
  ]
  if (opened) checks.push(await checkContent(api, seal, opened))
  return { checks, holds: checks.every(({ ok }) => ok), checkpoint }
}

const says = (name: Check['name'], ok: boolean, good: string, bad: string): Check => ({
  name,
  ok,
  says: ok ? good : bad,
})

async function checkSignature(checkpoint: Checkpoint, keys: Keys): Promise<Check> {
  const { key_id } = checkpoint
  const key = keys.find(each => each.key_id === key_id)
  if (!key)
    return says(
      'signature',
      false,
      '',
      `The log’s state is signed with ${key_id}, which is none of its keys.`,
    )
  return says(
    'signature',
    await verifyCheckpoint(checkpoint, key.public_key),
    `The log’s state is signed with its key ${key_id}.`,
    `The signature of the log’s state is not that of its key ${key_id}.`,
  )
}

/** Whether the content is that of the seal, and says the quoted words. */
async function checkContent(
  api: ApiClient,
  seal: Seal,
  { captureId: id, quote }: { captureId: string; quote: QuotedPlace | null },
): Promise<Check> {
  const role = quote?.role === 'record' ? 'record' : 'text'
  const changed = (what: string) =>
    says('content', false, '', `The capture’s ${what} is not what was sealed.`)
  const { manifest } = await api.call('GET /captures/:id', { params: { id } })
  if ((await manifestHash(manifest)) !== seal.manifest_hash) return changed('list of contents')
  const blob = manifest.blobs.find(each => each.role === role)
  if (!blob)
    return says(
      'content',
      quote === null,
      'The list of contents is what was sealed.',
      `The capture has no ${role}.`,
    )
  const params = { id, sha256: blob.sha256 }
  const bytes = new Uint8Array(
    await (await api.download('GET /captures/:id/blobs/:sha256', { params })).arrayBuffer(),
  )
  if ((await sha256Hex(bytes)) !== blob.sha256) return changed(role)
  const content = new TextDecoder().decode(bytes)
  const isThere = !quote || saysThere(content, quote)
  return says(
    'content',
    isThere,
    quote
      ? `The capture’s ${role} is what was sealed, and says these words.`
      : `The capture’s ${role} is what was sealed.`,
    `The capture’s ${role} is what was sealed, but does not say these words there.`,
  )
}

function saysThere(content: string, { role, pointer, start, end, exact }: QuotedPlace): boolean {
  const text = role === 'record' ? pointerValue(JSON.parse(content), pointer) : content
  return text?.slice(start, end) === exact
}
