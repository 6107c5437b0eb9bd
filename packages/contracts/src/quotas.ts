/** Quotas per user. Those in bytes count user data: JSON of records, UTF-8 of texts and quotes. */
export const QUOTAS = [
  'records',
  'record_bytes',
  'capture_bytes',
  'iods_today',
  'iods',
  'iod_bytes',
  'evidence_bytes',
  'narratives',
  'canon_rules',
  'campaigns',
  /** Per campaign; a user's usage shows the largest campaign they created. */
  'campaign_iods',
  'import_bytes',
  'published_bytes',
] as const
export type Quota = (typeof QUOTAS)[number]

/** Usage of a quota. */
export interface QuotaUsage {
  used: number
  limit: number
}

const number = (n: number) => n.toLocaleString('en-US')
const MIB = 1_048_576
const size = (bytes: number) =>
  bytes < MIB
    ? `${number(bytes)} bytes`
    : `${(bytes / MIB).toLocaleString('en-US', { maximumFractionDigits: 2 })} MiB`

const ASK = 'ask the operator of this site for more'

const SENTENCES: Record<Quota, (used: number, limit: number, needed: number) => string> = {
  records: (used, limit) =>
    `You have ${number(used)} of ${number(limit)} records: delete some in My data to make room`,
  record_bytes: (used, limit, needed) =>
    `Your records take ${size(used)} of ${size(limit)}, and this needs ${size(needed)} more: delete some in My data to make room`,
  capture_bytes: (used, limit, needed) =>
    `Your captures take ${size(used)} of ${size(limit)}, and this needs ${size(needed)} more: delete some in My data to make room`,
  iods_today: (used, limit) =>
    `You created ${number(used)} of ${number(limit)} IODs a day: continue after midnight UTC`,
  iods: (used, limit) => `You created ${number(used)} of ${number(limit)} IODs: ${ASK}`,
  iod_bytes: (used, limit, needed) =>
    `The texts of your IODs take ${size(used)} of ${size(limit)}, and this needs ${size(needed)} more: shorten it, or ${ASK}`,
  evidence_bytes: (used, limit, needed) =>
    `Your evidence takes ${size(used)} of ${size(limit)}, and this needs ${size(needed)} more: delete some, or ${ASK}`,
  narratives: (used, limit) =>
    `You have ${number(used)} of ${number(limit)} narratives: delete some to make room`,
  canon_rules: (used, limit, needed) =>
    `Your merges and splits of canonical narratives take ${number(used)} of ${number(limit)} rules, and this needs ${number(needed)} more: undo some to make room`,
  campaigns: (used, limit) =>
    `You have ${number(used)} of ${number(limit)} campaigns: delete one to make room`,
  campaign_iods: (used, limit) =>
    `This campaign has ${number(used)} of ${number(limit)} IODs: remove some to make room`,
  import_bytes: (used, limit, needed) =>
    `The files you imported take ${size(used)} of ${size(limit)}, and this needs ${size(needed)} more: remove some from their campaigns to make room`,
  published_bytes: (used, limit, needed) =>
    `Your published objects take ${size(used)} of ${size(limit)}, and this needs ${size(needed)} more: withdraw a campaign to make room`,
}

/** Detail of a 413: usage, limit, and what to do. `needed`: the amount that the refused request adds. */
export const quotaDetail = (name: Quota, { used, limit }: QuotaUsage, needed: number): string =>
  SENTENCES[name](used, limit, needed)

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB']

/** Formats an amount of a quota for screens: sizes in the largest fitting unit. */
export const formatQuota = (name: Quota, amount: number): string => {
  if (!name.endsWith('_bytes')) return number(amount)
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, amount)) / 10))
  return `${(amount / 1024 ** unit).toLocaleString('en-US', { maximumFractionDigits: 1 })} ${UNITS[unit]}`
}
