import { type CampaignImport, type ImportState, tlpOfRank } from '@iodine/contracts'
import { isTechnique } from '@iodine/exchange/disarm'
import { unknownTechniques } from '../../techniques/queries/techniques.js'
import { type ImportDoc, NO_COUNTS } from '../models/import.js'

/** Fields that `presentImport` needs and that are not read by default. */
export const PRESENTED_FIELDS = ['+techniques', '+named', '+unnamed', '+invalid'] as const

/** Presents an import to its user. It must have been read with `PRESENTED_FIELDS`. */
export const presentImport = (doc: ImportDoc): CampaignImport => ({
  id: doc._id.toHexString(),
  campaign_id: doc.campaign_id.toHexString(),
  format: doc.format,
  state: doc.state as ImportState,
  problem: doc.problem,
  bytes: doc.bytes,
  objects: doc.objects,
  done: doc.done,
  iods: doc.iods,
  known_iods: doc.known_iods,
  member_iods: doc.member_iods,
  refused: doc.refused,
  skipped: doc.skipped,
  invalid: doc.invalid ?? [],
  techniques: new Set([...(doc.techniques ?? []), ...(doc.named ?? [])].filter(isTechnique)).size,
  unknown_techniques: unknownTechniques(doc),
  quotes: doc.quotes,
  refused_quotes: doc.refused_quotes,
  evidence: doc.evidence,
  comments: doc.comments ?? 0,
  refused_comments: doc.refused_comments ?? 0,
  discussion: doc.discussion ?? NO_COUNTS.discussion,
  tlp: tlpOfRank(doc.tlp),
  created_at: doc.created_at.toISOString(),
})
