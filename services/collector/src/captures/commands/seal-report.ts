import { createHash, randomBytes } from 'node:crypto'
import { REPORT_MANIFEST_CONTEXT, type ReportSeal } from '@iodine/contracts'
import type { CollectorStore } from '../../store.js'
import type { SealKey } from '../policies/seal-key.js'
import { presentCheckpoint } from '../presenters/capture.js'
import { checkpointOf, inclusionOf } from '../queries/read-log.js'
import type { Appender } from './append-to-log.js'

const SALT_BYTES = 16

/** Signs the manifest of a report, and appends its hash to the log of seals. */
export const sealReport = async (
  { log }: CollectorStore,
  append: Appender,
  key: SealKey,
  manifest: Uint8Array,
): Promise<ReportSeal> => {
  const manifest_hash = createHash('sha256').update(manifest).digest('hex')
  const salt = randomBytes(SALT_BYTES).toString('base64url')
  const size = await append({ manifest_hash, salt })
  const seq = size - 1
  const [proof, doc] = await Promise.all([inclusionOf(log, seq, size), checkpointOf(log, size)])
  const { anchors: _, ...checkpoint } = presentCheckpoint(doc)
  return {
    v: 1,
    key_id: key.id,
    public_key: key.publicKey,
    sig: key.signBytes(Buffer.concat([Buffer.from(REPORT_MANIFEST_CONTEXT), manifest])).toString('base64url'),
    seal: { seq, manifest_hash, received_at: checkpoint.at, salt },
    proof,
    checkpoint,
  }
}
