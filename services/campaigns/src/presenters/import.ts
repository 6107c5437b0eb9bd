import { type CampaignImport, type ImportState, tlpOfRank } from '@iodine/contracts'
import { isTechnique } from '@iodine/exchange/disarm'
import type { ImportDoc } from '../models/import.js'
import { unknownTechniques } from '../queries/techniques.js'

/** Fields of an import that its presentation needs, and that are not read by default. */
export const PRESENTED = ['+techniques', '+named', '+unnamed', '+invalid'] as const

/** An import as its user sees it. Read with `PRESENTED`. */
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
  tlp: tlpOfRank(doc.tlp),
  created_at: doc.created_at.toISOString(),
})
