const PLENTY = String(10 ** 12)

/** Settings for load beyond a member's limits: rate limits off, unreachable quotas. */
export const NO_LIMITS: Record<string, string> = {
  RATE_LIMITS: 'off',
  QUOTA_RECORDS: PLENTY,
  QUOTA_RECORD_BYTES: PLENTY,
  QUOTA_CAPTURE_BYTES: PLENTY,
  QUOTA_IODS_A_DAY: PLENTY,
  QUOTA_IODS: PLENTY,
  QUOTA_IOD_BYTES: PLENTY,
  QUOTA_EVIDENCE_BYTES: PLENTY,
  QUOTA_NARRATIVES: PLENTY,
  QUOTA_CAMPAIGNS: PLENTY,
  QUOTA_CAMPAIGN_IODS: PLENTY,
}
