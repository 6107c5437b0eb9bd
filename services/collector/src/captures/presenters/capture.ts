import type { Capture, CaptureSummary, Checkpoint, Seal } from '@iodine/contracts'
import type { CaptureDoc } from '../models/capture.js'
import type { CheckpointDoc } from '../models/log.js'
import { isOwn, type ReadableCapture } from '../policies/read-capture.js'

/** Returns a capture's seal, or null for an open or erased capture. */
export const sealOf = ({ seq, manifest_hash, received_at, salt, state }: CaptureDoc): Seal | null =>
  state === 'sealed' && seq !== undefined && manifest_hash !== undefined && salt !== undefined
    ? { seq, manifest_hash, received_at: received_at.toISOString(), salt }
    : null

export const presentSummaries = (docs: CaptureDoc[]): CaptureSummary[] =>
  docs.map(doc => ({
    id: doc._id.toHexString(),
    source: doc.source,
    record_id: doc.record_id?.toHexString() ?? null,
    url: doc.url,
    captured_at: doc.captured_at,
    received_at: doc.received_at.toISOString(),
    state: doc.state,
    seq: doc.seq ?? null,
    shared: doc.shared,
    bytes: doc.bytes,
  }))

/** Presents a capture to a user. Only the owner sees the record id. */
export const presentCapture = (doc: ReadableCapture, userId: string): Capture => {
  const [summary] = presentSummaries([doc])
  const own = isOwn(doc, userId)
  const { manifest, manifest_hash } = doc
  return {
    ...(summary as CaptureSummary),
    ...(!own && { record_id: null }),
    own,
    manifest_hash,
    manifest,
    seal: sealOf(doc),
  }
}

export const presentCheckpoint = ({
  _id,
  root,
  at,
  key_id,
  sig,
  anchors = [],
}: CheckpointDoc): Checkpoint => ({
  size: _id,
  root,
  at: at.toISOString(),
  key_id,
  sig,
  anchors: anchors.map(anchor => ({ ...anchor, at: anchor.at.toISOString() })),
})
