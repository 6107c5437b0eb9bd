import type { CampaignDetail, ExportFormat } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { saveFile } from '@iodine/ui'
import { useCallback } from 'react'
import { useNotices } from './notices'

/** Saves a campaign as a file. The code of the formats is loaded on first use. */
export function useExport() {
  const { session } = useHost()
  const notices = useNotices()
  const userId = session.user.id
  return useCallback(
    async (campaign: CampaignDetail, format: ExportFormat): Promise<void> => {
      try {
        const { exportCampaign } = await import('@iodine/exchange')
        const { name, mediaType, text } = exportCampaign(campaign, format, { now: new Date(), userId })
        saveFile(name, new Blob([text], { type: mediaType }))
        notices.success(`Campaign data exported as ${name}`)
      } catch (error) {
        notices.failure(error, 'Failed to export campaign')
      }
    },
    [notices, userId],
  )
}
