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

export type MatrixFormat = 'svg' | 'navigator' | 'csv'

const MATRIX_FILES: Record<MatrixFormat, { extension: string; type: string }> = {
  svg: { extension: 'svg', type: 'image/svg+xml' },
  navigator: { extension: 'navigator.json', type: 'application/json' },
  csv: { extension: 'csv', type: 'text/csv' },
}

interface MatrixExport {
  title: string
  format: MatrixFormat
  /** The campaign, whose layer the service writes, with quotes. */
  campaignId: string | undefined
  write: () => string
}

/** Saves a matrix as a file. */
export function useMatrixExport() {
  const { api } = useHost()
  return useAction({
    mutationFn: async ({ title, format, campaignId, write }: MatrixExport) => {
      const { exportFileName } = await import('@iodine/exchange')
      const { extension, type } = MATRIX_FILES[format]
      const content =
        format === 'navigator' && campaignId !== undefined
          ? await api.download('GET /campaigns/:id/export', {
              params: { id: campaignId },
              query: { format, evidence: 'false' },
            })
          : new Blob([write()], { type })
      const name = exportFileName(`${title} matrix`, new Date(), extension)
      saveFile(name, content)
      return name
    },
    done: name => successToast(`Matrix exported as ${name}`),
    failed: failureFields('Failed to export the matrix'),
  })
}
