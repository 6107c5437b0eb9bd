import type { Iod } from '@iodine/contracts'
import { errorToast, useHost } from '@iodine/mfe-kit'
import { saveFile } from '@iodine/ui'
import { useCallback } from 'react'

/** Returns a function that saves IODs as a file. The code of the formats is loaded on first use. */
export function useExportIods() {
  const { notify, session } = useHost()
  const userId = session.user.id
  return useCallback(
    async (iods: readonly Iod[], format: 'csv' | 'json'): Promise<void> => {
      try {
        const { exportIods } = await import('@iodine/exchange')
        const { name, mediaType, text } = exportIods(iods, format, { now: new Date(), userId })
        saveFile(name, new Blob([text], { type: mediaType }))
        notify({ title: `${iods.length} IOD(s) exported as ${name}`, status: 'success' })
      } catch (error) {
        notify(errorToast(error, 'Failed to export IODs'))
      }
    },
    [notify, userId],
  )
}
