import type { CampaignDetail, ExportFormat, ExportProfile } from '@iodine/contracts'
import type { Matrix, MatrixFileOptions } from '@iodine/exchange/disarm'
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

const MATRIX_FILES = {
  svg: { extension: 'svg', type: 'image/svg+xml' },
  navigator: { extension: 'navigator.json', type: 'application/json' },
  csv: { extension: 'csv', type: 'text/csv' },
} as const

/** A matrix as a file. */
export interface MatrixFile extends MatrixFileOptions {
  matrix: Matrix
  format: keyof typeof MATRIX_FILES
  /** The only campaign, whose layer the service writes, with quotes. */
  campaignId: string | undefined
}

const writeMatrix = async ({ matrix, format, ...options }: MatrixFile): Promise<string> => {
  const { matrixCsv, matrixLayer, matrixSvg } = await import('@iodine/exchange/disarm')
  if (format === 'svg') return matrixSvg(matrix, options)
  if (format === 'csv') return matrixCsv(matrix, options)
  return JSON.stringify(matrixLayer(matrix, options), null, 2)
}

/** Saves a matrix as a file. */
export function useMatrixExport() {
  const { api } = useHost()
  return useAction({
    mutationFn: async (file: MatrixFile) => {
      const { exportFileName } = await import('@iodine/exchange')
      const { format, campaignId } = file
      const { extension, type } = MATRIX_FILES[format]
      const content =
        format === 'navigator' && campaignId !== undefined
          ? await api.download('GET /campaigns/:id/export', {
              params: { id: campaignId },
              query: { format, evidence: 'false' },
            })
          : new Blob([await writeMatrix(file)], { type })
      const name = exportFileName(`${file.title} matrix`, new Date(), extension)
      saveFile(name, content)
      return name
    },
    done: name => successToast(`Matrix exported as ${name}`),
    failed: failureFields('Failed to export the matrix'),
  })
}
