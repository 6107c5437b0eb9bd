import type { CommunityUser, ContributionType } from '@iodine/contracts'

/** Label of a contribution's badge. */
export const TYPE_LABELS: Record<ContributionType, string> = { IOD: 'IOD', NARRATIVE: 'Narrative' }

/** Counts the recent contributions by type, and all other contributions. */
export const summarize = ({ recent_contributions: recent, total_contributions: total }: CommunityUser) => {
  const iods = recent.filter(({ type }) => type === 'IOD').length
  return { iods, narratives: recent.length - iods, others: Math.max(0, total - recent.length) }
}
