import type { Quota } from '@iodine/contracts'

/** Labels of the quotas, in display order. */
export const QUOTA_LABELS: readonly (readonly [Quota, string])[] = [
  ['records', 'Collected records'],
  ['record_bytes', 'Size of the records'],
  ['capture_bytes', 'Size of the captures'],
  ['iods_today', 'IODs created today (UTC)'],
  ['iods', 'IODs created in total'],
  ['iod_bytes', 'Size of IOD texts'],
  ['evidence_bytes', 'Size of evidence texts'],
  ['narratives', 'Narratives'],
  ['canon_rules', 'Merges and splits of variants'],
  ['campaigns', 'Campaigns'],
  ['campaign_iods', 'IODs in the largest campaign'],
  ['import_bytes', 'Size of imported files'],
  ['published_bytes', 'Size of published campaigns'],
]
