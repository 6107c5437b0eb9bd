import type { CampaignImport } from '@iodine/contracts'
import { formatAmount } from '@iodine/ui'

/** Returns whether the campaign stores the objects of an import unchanged, and not only its IODs. */
export const storesObjects = ({ format }: Pick<CampaignImport, 'format'>): boolean =>
  format === 'stix' || format === 'misp'

/** Returns the number of IODs that an import would add to the campaign. */
const newMembersOf = ({ iods, member_iods }: CampaignImport): number => iods - member_iods

/** Describes the content of an import: stored objects, IODs, or only evidence. */
export const contentOf = (plan: CampaignImport): string => {
  if (storesObjects(plan)) return formatAmount(plan.objects, 'object')
  return newMembersOf(plan) === 0 && plan.quotes > 0 ? 'evidence' : formatAmount(newMembersOf(plan), 'IOD')
}

/** Returns whether an import changes anything. */
export const hasChanges = (plan: CampaignImport): boolean =>
  storesObjects(plan) || newMembersOf(plan) > 0 || plan.quotes > 0 || plan.techniques > 0 || plan.tlp !== null

/** Describes the result of a completed import's evidence; undefined if the import contained none. */
export const evidenceText = ({ evidence: { added, known, left_out } }: CampaignImport): string | undefined =>
  added + known + left_out === 0
    ? undefined
    : [
        `Evidence: ${formatAmount(added, 'quote')} added as not verified`,
        ...(known > 0 ? [`${known} already known`] : []),
        ...(left_out > 0 ? [`${left_out} left out`] : []),
      ].join(', ')
