import type { CampaignImport } from '@iodine/contracts'
import { formatAmount, formatCount } from '@iodine/ui'

/** Returns whether the campaign stores the objects of an import unchanged, and not only its IODs. */
export const storesObjects = ({ format }: Pick<CampaignImport, 'format'>): boolean =>
  format === 'stix' || format === 'misp'

/** Returns the number of IODs that an import would add to the campaign. */
const newMembersOf = ({ iods, member_iods }: CampaignImport): number => iods - member_iods

/** Describes the content of an import: stored objects, IODs, or only evidence or comments. */
export const contentOf = (plan: CampaignImport): string => {
  if (storesObjects(plan)) return formatAmount(plan.objects, 'object')
  if (newMembersOf(plan) > 0 || plan.quotes + plan.comments === 0)
    return formatAmount(newMembersOf(plan), 'IOD')
  return plan.quotes > 0 ? 'evidence' : formatAmount(plan.comments, 'comment')
}

/** Returns whether an import changes anything. */
export const hasChanges = (plan: CampaignImport): boolean =>
  storesObjects(plan) ||
  newMembersOf(plan) > 0 ||
  plan.quotes > 0 ||
  plan.comments > 0 ||
  plan.techniques > 0 ||
  plan.tlp !== null

/** Describes the results of a completed import's evidence and comments; empty if it contained none. */
export const relatedTexts = ({ evidence, discussion }: CampaignImport): string[] =>
  [
    { counts: evidence, text: `Evidence: ${formatAmount(evidence.added, 'quote')} added as not verified` },
    { counts: discussion, text: `Comments: ${formatCount(discussion.added)} added` },
  ].flatMap(({ counts: { added, known, left_out }, text }) =>
    added + known + left_out === 0
      ? []
      : [
          text,
          ...(known > 0 ? [`${known} already known`] : []),
          ...(left_out > 0 ? [`${left_out} left out`] : []),
        ].join(', '),
  )
