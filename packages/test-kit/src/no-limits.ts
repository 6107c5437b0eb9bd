const PLENTY = String(10 ** 12)

/** Settings for what asks for more than a member may: rate limits off, quotas that nothing reaches. */
export const NO_LIMITS: Record<string, string> = {
  RATE_LIMITS: 'off',
  QUOTA_RECORDS: PLENTY,
  QUOTA_RECORD_BYTES: PLENTY,
  QUOTA_IODS_A_DAY: PLENTY,
  QUOTA_IODS: PLENTY,
  QUOTA_IOD_BYTES: PLENTY,
  QUOTA_ALL_IODS: PLENTY,
  QUOTA_ALL_IOD_BYTES: PLENTY,
  QUOTA_NARRATIVES: PLENTY,
  QUOTA_CAMPAIGNS: PLENTY,
  QUOTA_CAMPAIGN_IODS: PLENTY,
}
