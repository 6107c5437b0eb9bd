import type { CampaignDetail, ExportFormat, ExportProfile } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { saveFile } from '@iodine/ui'
import { failureFields, successToast } from './toasts'

/** Returns whether files of a format may contain evidence. */
export const takesEvidence = (format: ExportFormat): boolean => format !== 'csv' && format !== 'navigator'

interface Export {
  campaign: CampaignDetail
  format: ExportFormat
  withEvidence: boolean
  profile?: ExportProfile | undefined
}

/**
 * Saves a campaign as a file. The service writes the file, because only it has the seals of evidence, the modification
 * times, the imported objects and their sharing levels.
 */
export function useExport() {
  const { api } = useHost()
  return useAction({
    mutationFn: async ({ campaign, format, withEvidence, profile }: Export) => {
      const { exportNameOf } = await import('@iodine/exchange')
      const evidence = withEvidence && takesEvidence(format) ? 'true' : 'false'
      const params = { id: campaign.id }
      const content = await api.download('GET /campaigns/:id/export', {
        params,
        query: { format, evidence, ...(profile && { profile }) },
      })
      const name = exportNameOf(campaign.name, format, new Date())
      saveFile(name, content)
      return name
    },
    done: name => successToast(`Campaign data exported as ${name}`),
    failed: failureFields('Failed to export campaign'),
  })
}
