import { type Iod, LIMITS, type Tlp } from '@iodine/contracts'
import { type ApiClient, errorToast, useHost } from '@iodine/mfe-kit'
import { saveFile } from '@iodine/ui'
import { useCallback } from 'react'

/** The levels of IODs that imports have marked, by id. */
const readLevels = async (api: ApiClient, iods: readonly Iod[]): Promise<Map<string, Tlp>> => {
  const found = new Map<string, Tlp>()
  for (let at = 0; at < iods.length; at += LIMITS.levelsMax) {
    const ids = iods.slice(at, at + LIMITS.levelsMax).map(({ id }) => id)
    const levels = await api.call('POST /iods/levels', { body: { ids } })
    for (const [id, level] of Object.entries(levels)) found.set(id, level)
  }
  return found
}

/** Returns a function that saves IODs as a file. The code of the formats is loaded on first use. */
export function useExportIods() {
  const { api, notify, session } = useHost()
  const userId = session.user.id
  return useCallback(
    async (iods: readonly Iod[], format: 'csv' | 'json'): Promise<void> => {
      try {
        const { exportIods } = await import('@iodine/exchange')
        const levels = await readLevels(api, iods)
        const { name, mediaType, text } = exportIods(iods, format, { now: new Date(), userId, levels })
        saveFile(name, new Blob([text], { type: mediaType }))
        notify({ title: `${iods.length} IOD(s) exported as ${name}`, status: 'success' })
      } catch (error) {
        notify(errorToast(error, 'Failed to export IODs'))
      }
    },
    [api, notify, userId],
  )
}
