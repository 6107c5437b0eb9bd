import type { CommunityUser, ContributionType } from '@iodine/contracts'

/** The text of a contribution's badge. */
export const TYPE_LABELS: Record<ContributionType, string> = { IOD: 'IOD', NARRATIVE: 'Narrative' }

/** The recent contributions counted by type, and the number of all others. */
export const summarize = ({ recent_contributions: recent, total_contributions: total }: CommunityUser) => {
  const iods = recent.filter(({ type }) => type === 'IOD').length
  return { iods, narratives: recent.length - iods, others: Math.max(0, total - recent.length) }
}
