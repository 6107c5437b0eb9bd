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

/** A quote and its position in the capture. */
export interface QuoteLocation {
  role: string
  pointer: string
  start: number
  end: number
  exact: string
}

export interface Check {
  name: 'seal' | 'log' | 'signature' | 'content'
  ok: boolean
  /** The result as a sentence. */
  finding: string
}

export interface SealReport {
  checks: Check[]
  /** Whether all checks succeeded. */
  holds: boolean
  /** The signed state of the log that the checks used. */
  checkpoint: Checkpoint
}

/**
 * Checks a seal in this browser against the log that the server currently serves. The checks: the seal matches the
 * log's entry; the log contains the entry (RFC 9162, 2.1.3); the log's state is signed. If the capture is open to the
 * user, it also checks that the content is the sealed one and contains the quote. Rejects if a request fails.
 */
export async function checkSeal(
  api: ApiClient,
  seal: Seal,
  opened?: { captureId: string; quote: QuoteLocation | null },
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
    checkOf(
      'seal',
      proof.leaf_hash === leaf,
      `The seal’s fingerprint, time of receipt and salt match entry ${seq} of the log.`,
      `The seal’s fingerprint, time of receipt and salt do not match entry ${seq} of the log.`,
    ),
    checkOf(
      'log',
      isInLog,
      `The log of ${size} ${size === 1 ? 'entry' : 'entries'} contains the entry.`,
      `The log of ${size} ${size === 1 ? 'entry' : 'entries'} does not contain the entry.`,
    ),
    await checkSignature(checkpoint, keys),
  ]
  if (opened) checks.push(await checkContent(api, seal, opened))
  return { checks, holds: checks.every(({ ok }) => ok), checkpoint }
}

const checkOf = (name: Check['name'], ok: boolean, good: string, bad: string): Check => ({
  name,
  ok,
  finding: ok ? good : bad,
})

async function checkSignature(checkpoint: Checkpoint, keys: Keys): Promise<Check> {
  const { key_id } = checkpoint
  const key = keys.find(each => each.key_id === key_id)
  if (!key)
    return checkOf(
      'signature',
      false,
      '',
      `The log’s state is signed with the key ${key_id}, which the server does not publish.`,
    )
  return checkOf(
    'signature',
    await verifyCheckpoint(checkpoint, key.public_key),
    `The log’s state is signed with its key ${key_id}.`,
    `The signature of the log’s state is not valid for its key ${key_id}.`,
  )
}

/** Checks that the content is the sealed one and contains the quote. */
async function checkContent(
  api: ApiClient,
  seal: Seal,
  { captureId: id, quote }: { captureId: string; quote: QuoteLocation | null },
): Promise<Check> {
  const role = quote?.role === 'record' ? 'record' : 'text'
  const changed = (what: string) =>
    checkOf('content', false, '', `The capture’s ${what} has changed since it was sealed.`)
  const { manifest } = await api.call('GET /captures/:id', { params: { id } })
  if ((await manifestHash(manifest)) !== seal.manifest_hash) return changed('list of contents')
  const blob = manifest.blobs.find(each => each.role === role)
  if (!blob)
    return checkOf(
      'content',
      quote === null,
      'The capture’s list of contents is unchanged since it was sealed.',
      `The capture has no ${role}.`,
    )
  const params = { id, sha256: blob.sha256 }
  const bytes = new Uint8Array(
    await (await api.download('GET /captures/:id/blobs/:sha256', { params })).arrayBuffer(),
  )
  if ((await sha256Hex(bytes)) !== blob.sha256) return changed(role)
  const content = new TextDecoder().decode(bytes)
  const isThere = !quote || containsQuote(content, quote)
  return checkOf(
    'content',
    isThere,
    quote
      ? `The capture’s ${role} is unchanged since it was sealed and contains the quote.`
      : `The capture’s ${role} is unchanged since it was sealed.`,
    `The capture’s ${role} is unchanged since it was sealed, but does not contain the quote at its position.`,
  )
}

function containsQuote(content: string, { role, pointer, start, end, exact }: QuoteLocation): boolean {
  const text = role === 'record' ? pointerValue(JSON.parse(content), pointer) : content
  return text?.slice(start, end) === exact
}
