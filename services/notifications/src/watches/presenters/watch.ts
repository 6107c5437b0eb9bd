import type { Watch, WatchChannel } from '@iodine/contracts'
import type { WatchDoc } from '../models/watch.js'

/** Returns a watch as its user sees it. */
export const presentWatch = (doc: WatchDoc): Watch => ({
  id: doc._id.toHexString(),
  kind: doc.kind,
  subject_id: doc.subject_id?.toHexString() ?? null,
  search: doc.search,
  text: doc.text,
  name: doc.name,
  channels: doc.channels as WatchChannel[],
  paused: doc.paused,
  created_at: doc.created_at.toISOString(),
})
