import type { Quota } from '@iodine/contracts'

/** What each quota counts, in the order of screens. */
export const QUOTA_LABELS: readonly (readonly [Quota, string])[] = [
  ['records', 'Collected records'],
  ['record_bytes', 'Size of the records'],
  ['capture_bytes', 'Size of the captures'],
  ['iods_today', 'IODs created today (UTC)'],
  ['iods', 'IODs created in all'],
  ['iod_bytes', 'Size of the IODs’ texts'],
  ['evidence_bytes', 'Size of the evidence’s texts'],
  ['narratives', 'Narratives'],
  ['canon_rules', 'Merges and splits of narratives'],
  ['campaigns', 'Campaigns'],
  ['campaign_iods', 'IODs in the fullest campaign'],
  ['import_bytes', 'Size of imported files'],
  ['published_bytes', 'Size of what is published'],
]
