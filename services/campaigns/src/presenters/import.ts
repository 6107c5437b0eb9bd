import { type CampaignImport, type ImportState, tlpOfRank } from '@iodine/contracts'
import type { ImportDoc } from '../models/import.js'

/** An import as its user sees it. */
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
  refused: doc.refused,
  tlp: tlpOfRank(doc.tlp),
  created_at: doc.created_at.toISOString(),
})
