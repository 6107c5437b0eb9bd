import type { CampaignImport } from '@iodine/contracts'
import { formatCount } from '@iodine/ui'

/** Whether the campaign keeps the objects of an import as they are, or takes IODs alone. */
export const isKept = ({ format }: Pick<CampaignImport, 'format'>): boolean =>
  format === 'stix' || format === 'misp'

/** IODs that an import would put into the campaign. */
const freshOf = ({ iods, member_iods }: CampaignImport): number => iods - member_iods

/** What an import brings: objects that are kept, IODs, or evidence alone. */
export const amountOf = (plan: CampaignImport): string => {
  if (isKept(plan)) return `${formatCount(plan.objects)} object(s)`
  return freshOf(plan) === 0 && plan.quotes > 0 ? 'evidence' : `${formatCount(freshOf(plan))} IOD(s)`
}

/** Whether an import changes anything. */
export const bringsAnything = (plan: CampaignImport): boolean =>
  isKept(plan) || freshOf(plan) > 0 || plan.quotes > 0 || plan.techniques > 0 || plan.tlp !== null

/** What became of the evidence of an import that is done; undefined if it had none. */
export const evidenceText = ({ evidence: { added, known, left_out } }: CampaignImport): string | undefined =>
  added + known + left_out === 0
    ? undefined
    : [
        `Evidence: ${added} quote(s) added as not verified`,
        ...(known > 0 ? [`${known} known`] : []),
        ...(left_out > 0 ? [`${left_out} left out`] : []),
      ].join(', ')
