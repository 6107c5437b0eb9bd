import { type Checkpoint, type InclusionProof, LIMITS, type Manifest, type Seal } from '@iodine/contracts'
import { strFromU8, unzipSync } from 'fflate'
import { checkpointText, verifyCheckpoint } from '../checkpoint.js'
import { type Check, check, holds, signedBy, type Verdict } from '../checks.js'
import { leafHash, manifestHash, sha256Hex } from '../hash.js'
import { verifyConsistency, verifyInclusion } from '../merkle.js'
import { pointerValue } from '../quotes.js'
import { checkTimestamp } from '../timestamp.js'
import {
  type Anchored,
  ARCHIVE,
  EVIDENCE,
  FILES,
  MANIFEST,
  PACKAGE,
  type PublishedKey,
  packageOf,
  SEAL,
  zipOf,
} from './build.js'
import { readWarc } from './warc.js'

/** The result of one check of an archive. */
export type WaczCheck = Check<'file' | 'content' | 'manifest' | 'log' | 'signature' | 'time' | 'evidence'>

export interface WaczReport {
  verdict: Verdict
  checks: WaczCheck[]
  /** Properties stated in the file; absent if it is unreadable. */
  about?:
    | {
        url: string
        capturedAt: string
        receivedAt: string
        seq: number
        keyId: string
        manifestHash: string
        quotes: string[]
      }
    | undefined
  /** True if the caller provided the key, false if it was taken from the file. */
  isKeyGiven: boolean
}

/** Maximum bytes of all content except blobs. */
const METADATA_BYTES = 8_388_608
const FILE_MAX = LIMITS.captureBytes + METADATA_BYTES

interface Sealing {
  seal: Seal
  proof: InclusionProof
  checkpoint: Checkpoint
  anchored?: Anchored
  keys: PublishedKey[]
}

/**
 * Returns the files of a WACZ that Iodine wrote.
 * @throws for any other file, and for more than `FILE_MAX` bytes
 */
const unpack = (data: Uint8Array): Map<string, Uint8Array> => {
  let total = 0
  const names = new Set<string>()
  const found = unzipSync(data, {
    filter({ name, originalSize }) {
      total += originalSize
      if (!(FILES as readonly string[]).includes(name) || names.has(name) || total > FILE_MAX)
        throw new RangeError('unexpected file or size')
      names.add(name)
      return true
    },
  })
  return new Map(
    FILES.map(name => {
      const bytes = found[name]
      if (!bytes) throw new RangeError(`${name} is missing`)
      return [name, bytes]
    }),
  )
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at])

const readJson = (files: ReadonlyMap<string, Uint8Array>, name: string): unknown =>
  JSON.parse(strFromU8(files.get(name) ?? new Uint8Array()))

/** Checks the files' hashes against the data package, and the ZIP file byte by byte against `zipOf`. */
const checkFile = async (
  data: Uint8Array,
  files: ReadonlyMap<string, Uint8Array>,
  manifest: Manifest,
  { seal }: Sealing,
): Promise<WaczCheck> => {
  const listed = (readJson(files, PACKAGE) as { resources: { path: string; hash: string }[] }).resources
  const changed: string[] = []
  for (const { path, hash } of listed)
    if (hash !== `sha256:${await sha256Hex(files.get(path) ?? new Uint8Array())}`) changed.push(path)
  const described = new Map([...files].slice(0, -2))
  const expected = await packageOf(described, { manifest, seal })
  for (const [path, bytes] of expected)
    if (!isSame(files.get(path) ?? new Uint8Array(), bytes)) changed.push(path)
  if (changed.length === 0 && !isSame(zipOf(files), data)) changed.push('the ZIP file’s own entries')
  return check(
    'file',
    changed.length === 0,
    'All files are unchanged since they were written.',
    `Changed since it was written: ${[...new Set(changed)].join(', ')}.`,
  )
}

const checkContent = async (
  archive: Uint8Array,
  { blobs }: Manifest,
): Promise<{ content: WaczCheck; isErased: boolean; stored: Map<string, Uint8Array> }> => {
  const stored = readWarc(archive, FILE_MAX)
  const given = blobs.filter(({ absent }) => !absent)
  const changed: string[] = []
  const erased: string[] = []
  for (const { role, sha256, bytes } of given) {
    const found = stored.get(sha256)
    if (!found) erased.push(role)
    else if (found.length !== bytes || (await sha256Hex(found)) !== sha256) changed.push(role)
  }
  const content = check(
    'content',
    changed.length === 0,
    erased.length > 0
      ? `Erased: ${erased.join(', ')}. All other parts match the manifest.`
      : `All ${given.length} parts match the manifest.`,
    `Different from the manifest: ${changed.join(', ')}.`,
  )
  return { content, isErased: erased.length > 0, stored }
}

interface Selector {
  exact?: string
  start?: number
  end?: number
  /** The JSON pointer of a record's field. */
  value?: string
  refinedBy?: readonly Selector[]
}
interface Annotation {
  target: { source: string; selector: readonly Selector[] }
}

const quotesOf = (files: ReadonlyMap<string, Uint8Array>): string[] =>
  (readJson(files, EVIDENCE) as Annotation[]).flatMap(({ target: { selector } }) => {
    const [quote] = selector[0]?.refinedBy ?? selector
    return quote?.exact ?? []
  })

/**
 * Checks that the quotes are at their positions, in code points. Quotes of erased blobs are not checked.
 * @param blobs hashes of the manifest's blobs, erased ones included
 */
const checkEvidence = (
  files: ReadonlyMap<string, Uint8Array>,
  stored: ReadonlyMap<string, Uint8Array>,
  blobs: readonly string[],
): boolean =>
  (readJson(files, EVIDENCE) as Annotation[]).every(({ target: { source, selector } }) => {
    const sha256 = source.replace('urn:sha256:', '')
    const bytes = stored.get(sha256)
    if (!bytes) return blobs.includes(sha256)
    const content = strFromU8(bytes)
    const [first] = selector
    const text = first?.refinedBy ? pointerValue(JSON.parse(content), first.value ?? '') : content
    const [quote, position] = first?.refinedBy ?? selector
    if (text === undefined || quote?.exact === undefined) return false
    return Array.from(text).slice(position?.start, position?.end).join('') === quote.exact
  })

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), unit => unit.charCodeAt(0))

/** Checks that authorities time-stamped a signed state of the log that continues the seal's. */
const checkTime = async (
  checkpoint: Checkpoint,
  { checkpoint: later, consistency }: Anchored,
  isSigned: (checkpoint: Checkpoint) => Promise<boolean>,
  authorities: readonly string[],
): Promise<WaczCheck> => {
  // Anyone can extend a log and have the result time-stamped.
  if (!(await isSigned(later)))
    return check(
      'time',
      false,
      '',
      `The time-stamped log is not signed with that key. It names ${later.key_id}.`,
    )
  const ok = await holds(() =>
    verifyConsistency(checkpoint.size, later.size, checkpoint.root, later.root, consistency),
  )
  if (!ok) return check('time', false, '', 'The time-stamped log does not continue this log.')
  const seen: string[] = []
  try {
    for (const { token } of later.anchors) {
      const { at, authority } = await checkTimestamp(fromBase64(token), checkpointText(later), authorities)
      seen.push(`${authority} at ${at.toISOString()}`)
    }
  } catch (error) {
    return check(
      'time',
      false,
      '',
      `The time is not proven: ${error instanceof TypeError ? error.message : 'the token can’t be read'}.`,
    )
  }
  const trust = authorities.length > 0 ? '' : ' The issuer of its certificate was not checked.'
  return check(
    'time',
    seen.length > 0,
    `The log of ${later.size} entries, which contains the seal, was time-stamped by ${seen.join(', ')}.${trust}`,
    'The time-stamp is missing.',
  )
}

interface ParsedWacz {
  files: Map<string, Uint8Array>
  manifest: Manifest
  sealing: Sealing
}

/**
 * Parses a WACZ that Iodine wrote.
 * @throws for any other file
 */
const parse = (data: Uint8Array): ParsedWacz => {
  if (data.length > FILE_MAX) throw new RangeError('too large')
  const files = unpack(data)
  const manifest = readJson(files, MANIFEST) as Manifest
  const sealing = readJson(files, SEAL) as Sealing
  if (!Array.isArray(manifest.blobs) || typeof sealing.seal.seq !== 'number')
    throw new TypeError('not written by Iodine')
  return { files, manifest, sealing }
}

const checkManifest = async (manifest: Manifest, { seal }: Sealing): Promise<WaczCheck> =>
  check(
    'manifest',
    await holds(async () => (await manifestHash(manifest)) === seal.manifest_hash),
    'The manifest matches the seal.',
    'The manifest does not match the seal.',
  )

const checkLog = async ({ seal, proof, checkpoint }: Sealing): Promise<WaczCheck> =>
  check(
    'log',
    await holds(async () => {
      const leaf = await leafHash(seal)
      const isOfCheckpoint = proof.size === checkpoint.size && proof.seq === seal.seq
      return (
        isOfCheckpoint && (await verifyInclusion(leaf, seal.seq, proof.size, proof.path, checkpoint.root))
      )
    }),
    `The seal is entry ${seal.seq} of the log of ${checkpoint?.size} entries.`,
    'The seal is not in the log.',
  )

const checkSignature = (checkpoint: Checkpoint, isSigned: boolean, isKeyGiven: boolean): WaczCheck =>
  check(
    'signature',
    isSigned,
    signedBy('The log’s state', checkpoint?.key_id, isKeyGiven),
    'The log’s state is not signed with that key.',
  )

/**
 * Verifies a web archive that `buildWacz` wrote, offline: file, content, manifest, log, signature, evidence and, if
 * present, time-stamp.
 * @param trusted accepted public keys, in PEM; without any, the keys in the file, which prove only its consistency
 * @param authorities certificates of time-stamping authorities, in PEM; without any, every authority is accepted
 */
export const verifyWacz = async (
  data: Uint8Array,
  trusted: readonly string[] = [],
  authorities: readonly string[] = [],
): Promise<WaczReport> => {
  const isKeyGiven = trusted.length > 0
  let parsed: ParsedWacz
  try {
    parsed = parse(data)
  } catch {
    const says = 'The file is not a web archive of a capture, or it is damaged.'
    return { verdict: 'unreadable', checks: [{ name: 'file', ok: false, says }], isKeyGiven }
  }
  const { files, manifest, sealing } = parsed
  const { seal, checkpoint, anchored, keys } = sealing
  const isSigned = (signed: Checkpoint) =>
    holds(async () => {
      const tried = isKeyGiven ? trusted : keys.map(({ public_key }) => public_key)
      for (const key of tried) if (await verifyCheckpoint(signed, key)) return true
      return false
    })
  const unreadable = {
    content: check('content', false, '', 'The archive can’t be read.'),
    isErased: false,
    stored: new Map<string, Uint8Array>(),
  }
  const archive = files.get(ARCHIVE) ?? new Uint8Array()
  const { content, isErased, stored } = await checkContent(archive, manifest).catch(() => unreadable)
  const checks = [
    await checkFile(data, files, manifest, sealing).catch(() =>
      check('file', false, '', `Changed since it was written: ${PACKAGE}.`),
    ),
    content,
    await checkManifest(manifest, sealing),
    await checkLog(sealing),
    checkSignature(checkpoint, await isSigned(checkpoint), isKeyGiven),
  ]
  if (anchored)
    checks.push(
      await checkTime(checkpoint, anchored, isSigned, authorities).catch(() =>
        check('time', false, '', 'The time-stamp can’t be read.'),
      ),
    )
  const blobs = manifest.blobs.map(({ sha256 }) => sha256)
  const areQuotesFound = await holds(() => checkEvidence(files, stored, blobs))
  checks.push(
    check(
      'evidence',
      areQuotesFound,
      isErased
        ? 'All quotes of parts that are not erased are at their stated positions.'
        : 'All quotes are at their stated positions.',
      'A quote is not at its stated position.',
    ),
  )
  const isGood = checks.every(({ ok }) => ok)
  return {
    verdict: !isGood ? 'changed' : isErased ? 'erased' : 'good',
    checks,
    about: {
      url: String(manifest.url),
      capturedAt: String(manifest.captured_at),
      receivedAt: String(seal.received_at),
      seq: seal.seq,
      keyId: String(checkpoint?.key_id),
      manifestHash: String(seal.manifest_hash),
      quotes: areQuotesFound ? quotesOf(files) : [],
    },
    isKeyGiven,
  }
}
