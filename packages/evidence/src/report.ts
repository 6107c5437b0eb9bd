import {
  REPORT_MANIFEST_CONTEXT,
  type ReportContent,
  type ReportManifest,
  type ReportSeal,
} from '@iodine/contracts'
import { isExactBase64url, keyIdOf, verifyCheckpoint, verifySignature } from './checkpoint.js'
import { type Check, check, holds, signedBy, type Verdict } from './checks.js'
import { canonicalJson, concat, leafHash, sha256Hex } from './hash.js'
import { verifyInclusion } from './merkle.js'
import { fits, type Shape } from './shape.js'
import { verifyWacz } from './wacz/index.js'

/** The result of one check of a report. */
export type ReportCheck = Check<'file' | 'content' | 'signature' | 'log' | 'evidence'>

export interface ReportVerification {
  verdict: Exclude<Verdict, 'erased'>
  checks: ReportCheck[]
  /** Properties stated in the files; absent if they are unreadable. */
  about?: { report: string; n: number; receivedAt: string; seq: number; keyId: string } | undefined
  /** True if the caller provided the key, false if it was taken from the files. */
  isKeyGiven: boolean
}

/** Names of the manifest of a report and of its signature. */
export const MANIFEST_NAME = 'manifest.json'
export const SIGNATURE_NAME = 'manifest.json.sig'
const CONTENT_NAME = 'report.json'

type Files = ReadonlyMap<string, Uint8Array>

const MANIFEST: Shape = {
  v: 1,
  report: 'string',
  n: 'number',
  files: [{ name: 'string', bytes: 'number', sha256: 'sha256' }],
}
const SEAL: Shape = {
  v: 1,
  key_id: 'string',
  public_key: 'string',
  sig: 'string',
  seal: { seq: 'number', manifest_hash: 'sha256', received_at: 'string', salt: 'string' },
  proof: { seq: 'number', size: 'number', leaf_hash: 'sha256', path: ['sha256'] },
  checkpoint: { size: 'number', root: 'sha256', at: 'string', key_id: 'string', sig: 'string' },
}

/** @throws unless the bytes are JSON in UTF-8 */
const readJson = (bytes: Uint8Array | undefined): unknown =>
  JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))

/** @throws unless the bytes are JSON of this shape */
const readShape = <T>(bytes: Uint8Array, shape: Shape): T => {
  const value = readJson(bytes)
  if (!fits(value, shape)) throw new TypeError('unexpected shape')
  return value as T
}

type Exhibit = Pick<ReportContent['exhibits'][number], 'n' | 'quote' | 'manifest_hash'>

/** Returns the exhibits of `report.json`; null if it is unreadable. */
const exhibitsOf = (bytes: Uint8Array): Exhibit[] | null => {
  try {
    const { exhibits } = readJson(bytes) as ReportContent
    const found = exhibits.map(({ n, quote, manifest_hash }) => ({ n, quote, manifest_hash }))
    return fits(found, [{ n: 'number', quote: 'string', manifest_hash: 'sha256' }]) ? found : null
  } catch {
    return null
  }
}

const isSame = (bytes: Uint8Array, text: string): boolean => {
  const expected = new TextEncoder().encode(text)
  return bytes.length === expected.length && bytes.every((byte, at) => byte === expected[at])
}

/** Returns whether each file is in the manifest, with its size and hash. */
const checkContent = async ({ files: listed }: ReportManifest, given: Files): Promise<ReportCheck> => {
  const known = new Map(listed.map(file => [file.name, file]))
  const faults: string[] = []
  for (const [name, bytes] of given) {
    const file = known.get(name)
    if (!file) faults.push(`${name} (not a file of this version)`)
    else if (file.bytes !== bytes.length || file.sha256 !== (await sha256Hex(bytes))) faults.push(name)
  }
  return check(
    'content',
    faults.length === 0,
    `${given.size} of ${listed.length} files of this version were checked, and match the manifest.`,
    `Different from the manifest: ${faults.join(', ')}.`,
  )
}

const checkLog = async (
  manifest: Uint8Array,
  { seal, proof, checkpoint }: ReportSeal,
  isSigned: boolean,
): Promise<ReportCheck> =>
  check(
    'log',
    isSigned &&
      (await holds(async () => {
        const leaf = await leafHash(seal)
        const isOfLog =
          (await sha256Hex(manifest)) === seal.manifest_hash &&
          proof.leaf_hash === leaf &&
          proof.seq === seal.seq &&
          proof.size === checkpoint.size
        return isOfLog && (await verifyInclusion(leaf, seal.seq, proof.size, proof.path, checkpoint.root))
      })),
    `The manifest is entry ${seal.seq} of the log of ${checkpoint.size} entries, since ${seal.received_at}.`,
    'The manifest is not in the log.',
  )

/** Checks that captures are exhibits of the report, and that they contain the quotes. */
const checkArchives = async (
  stated: readonly Exhibit[] | null,
  archives: Files,
  trusted: readonly string[],
): Promise<ReportCheck> => {
  if (!stated)
    return check('evidence', false, '', 'Captures are compared with report.json, which is missing.')
  const good: string[] = []
  const bad: string[] = []
  for (const [name, bytes] of archives) {
    const { verdict, about } = await verifyWacz(bytes, trusted)
    const exhibits = stated.filter(({ manifest_hash }) => manifest_hash === about?.manifestHash)
    const found = exhibits.filter(({ quote }) => about?.quotes.includes(quote))
    if (verdict === 'good' && exhibits.length > 0 && found.length === exhibits.length)
      good.push(`${name} contains the quotes of ${found.map(({ n }) => `E${n}`).join(', ')}`)
    else bad.push(name)
  }
  return check(
    'evidence',
    bad.length === 0,
    `${good.join('; ')}.`,
    `Not the captures of exhibits: ${bad.join(', ')}.`,
  )
}

/**
 * Verifies a version of a published report, offline: the signature of its manifest, its entry in the log of seals, and
 * each given file; of given web archives (`.wacz`) that they are its exhibits.
 * @param given `manifest.json`, `manifest.json.sig` and any other files of the version, by name
 * @param trusted accepted public keys, in PEM; without any, the key in the files, which proves only their consistency
 */
export const verifyReport = async (
  given: Files,
  trusted: readonly string[] = [],
): Promise<ReportVerification> => {
  const isKeyGiven = trusted.length > 0
  const bytes = given.get(MANIFEST_NAME) ?? new Uint8Array()
  const signature = given.get(SIGNATURE_NAME) ?? new Uint8Array()
  let manifest: ReportManifest
  let seal: ReportSeal
  try {
    manifest = readShape(bytes, MANIFEST)
    seal = readShape(signature, SEAL)
  } catch {
    const says = `${MANIFEST_NAME} or ${SIGNATURE_NAME} is missing or damaged.`
    return { verdict: 'unreadable', checks: [{ name: 'file', ok: false, says }], isKeyGiven }
  }
  const { key_id, public_key, sig, checkpoint } = seal
  // A signature that can be written in two ways would hide a changed bit.
  const isExact = await holds(
    async () =>
      isSame(signature, `${canonicalJson(seal)}\n`) &&
      isExactBase64url(sig) &&
      isExactBase64url(checkpoint.sig) &&
      key_id === checkpoint.key_id &&
      (await keyIdOf(public_key)) === key_id,
  )
  const signed = concat(new TextEncoder().encode(REPORT_MANIFEST_CONTEXT), bytes)
  const isSigned = async (test: (key: string) => Promise<boolean>): Promise<boolean> => {
    for (const key of isKeyGiven ? trusted : [public_key]) if (await holds(() => test(key))) return true
    return false
  }
  const isSealed = await isSigned(key => verifySignature(signed, sig, key))
  const isOfLog = await isSigned(key => verifyCheckpoint(checkpoint, key))
  const isArchive = (name: string) => name.endsWith('.wacz')
  const others = [...given].filter(([name]) => name !== MANIFEST_NAME && name !== SIGNATURE_NAME)
  const files = new Map(others.filter(([name]) => !isArchive(name)))
  const archives = new Map(others.filter(([name]) => isArchive(name)))
  const content = await checkContent(manifest, files)
  const checks: ReportCheck[] = [
    check('file', isExact, `${SIGNATURE_NAME} is unchanged.`, `${SIGNATURE_NAME} was changed.`),
    content,
    check(
      'signature',
      isSealed,
      signedBy('The manifest', key_id, isKeyGiven),
      'The manifest is not signed with that key.',
    ),
    await checkLog(bytes, seal, isOfLog),
  ]
  if (archives.size > 0) {
    const stated = files.get(CONTENT_NAME)
    const exhibits = content.ok && stated ? exhibitsOf(stated) : null
    checks.push(await checkArchives(exhibits, archives, trusted))
  }
  return {
    verdict: checks.every(({ ok }) => ok) ? 'good' : 'changed',
    checks,
    about: {
      report: manifest.report,
      n: manifest.n,
      receivedAt: seal.seal.received_at,
      seq: seal.seal.seq,
      keyId: key_id,
    },
    isKeyGiven,
  }
}
