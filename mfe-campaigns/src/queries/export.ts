import type { CampaignDetail, ExportFormat } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useCallback } from 'react'
import { useNotices } from './notices'

/** Long enough for any browser to have begun to save the file. */
const KEEP_MS = 60_000

/** Saves a campaign as a file. What writes it is loaded when it is first needed. */
export function useExport() {
  const { session } = useHost()
  const notices = useNotices()
  const userId = session.user.id
  return useCallback(
    async (campaign: CampaignDetail, format: ExportFormat): Promise<void> => {
      try {
        const { exportCampaign } = await import('@iodine/exchange')
        const { name, mediaType, text } = exportCampaign(campaign, format, { now: new Date(), userId })
        const link = document.createElement('a')
        link.href = URL.createObjectURL(new Blob([text], { type: mediaType }))
        link.download = name
        link.click()
        setTimeout(() => URL.revokeObjectURL(link.href), KEEP_MS)
        notices.success(`Campaign data exported as ${name}`)
      } catch (error) {
        notices.failure(error, 'Failed to export campaign')
      }
    },
    [notices, userId],
  )
}
