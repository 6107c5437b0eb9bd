import { type FeedKey, type FeedTlp, tlpOfRank } from '@iodine/contracts'
import type { FeedKeyDoc } from '../models/feed-key.js'

/** Returns a feed key as its user sees it. It never contains the key itself. */
export const presentFeedKey = (doc: Omit<FeedKeyDoc, 'hash' | 'slot' | 'user_id'>): FeedKey => ({
  id: doc._id.toHexString(),
  label: doc.label,
  // Keys of a previous version have no field.
  reads: doc.reads ?? 'campaigns',
  tlp: tlpOfRank(doc.tlp) as FeedTlp,
  created_at: doc.created_at.toISOString(),
  expires_at: doc.expires_at?.toISOString() ?? null,
  last_used_at: doc.last_used_at?.toISOString() ?? null,
})
