import type { CampaignDetail, ExportFormat, ExportProfile } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { saveFile } from '@iodine/ui'
import { useCallback } from 'react'
import { useNotices } from './notices'

export interface ExportOptions {
  withEvidence?: boolean
  profile?: ExportProfile | undefined
}

/**
 * Saves a campaign as a file. The service writes it, as it knows the seals of evidence, since when objects are as they are, what
 * the campaign keeps of other tools, and how far all of it may be passed on.
 */
export function useExport() {
  const { api } = useHost()
  const notices = useNotices()
  return useCallback(
    async (
      campaign: CampaignDetail,
      format: ExportFormat,
      { withEvidence = false, profile }: ExportOptions = {},
    ): Promise<void> => {
      try {
        const { exportNameOf } = await import('@iodine/exchange')
        const evidence = withEvidence && format !== 'csv' ? 'true' : 'false'
        const params = { id: campaign.id }
        const content = await api.download('GET /campaigns/:id/export', {
          params,
          query: { format, evidence, ...(profile && { profile }) },
        })
        const name = exportNameOf(campaign.name, format, new Date())
        saveFile(name, content)
        notices.success(`Campaign data exported as ${name}`)
      } catch (error) {
        notices.failure(error, 'Failed to export campaign')
      }
    },
    [api, notices],
  )
}
