import type { CampaignDetail, ExportFormat } from '@iodine/contracts'
import { type ApiClient, useHost } from '@iodine/mfe-kit'
import { saveFile } from '@iodine/ui'
import { useCallback } from 'react'
import { useNotices } from './notices'

/** A campaign's techniques as files say them. */
const readTechniques = async (api: ApiClient, id: string) => {
  const techniques = await api.call('GET /campaigns/:id/techniques', { params: { id } })
  if (techniques.length === 0) return []
  const { usedTechniques } = await import('@iodine/exchange/disarm')
  return usedTechniques(techniques)
}

/**
 * Saves a campaign as a file. The code of the formats is loaded on first use. The service writes files with evidence,
 * as it knows the seals, and STIX and MISP, as it knows since when their objects are as they are.
 */
export function useExport() {
  const { api, session } = useHost()
  const notices = useNotices()
  const userId = session.user.id
  return useCallback(
    async (campaign: CampaignDetail, format: ExportFormat, withEvidence = false): Promise<void> => {
      try {
        const { exportCampaign, exportNameOf, isVersioned } = await import('@iodine/exchange')
        const now = new Date()
        let file: { name: string; content: Blob }
        if (isVersioned(format) || (withEvidence && format !== 'csv')) {
          const query = { format, evidence: withEvidence ? 'true' : 'false' } as const
          const params = { id: campaign.id }
          const content = await api.download('GET /campaigns/:id/export', { params, query })
          file = { name: exportNameOf(campaign.name, format, now), content }
        } else {
          const techniques = format === 'json' ? await readTechniques(api, campaign.id) : []
          const { name, mediaType, text } = exportCampaign(campaign, format, { now, userId, techniques })
          file = { name, content: new Blob([text], { type: mediaType }) }
        }
        saveFile(file.name, file.content)
        notices.success(`Campaign data exported as ${file.name}`)
      } catch (error) {
        notices.failure(error, 'Failed to export campaign')
      }
    },
    [api, notices, userId],
  )
}
