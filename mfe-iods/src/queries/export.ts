import { type Iod, LIMITS, type Tlp } from '@iodine/contracts'
import { type ApiClient, useAction, useHost } from '@iodine/mfe-kit'
import { formatAmount, saveFile } from '@iodine/ui'

/** Reads the TLP levels of IODs marked by imports, by id. */
const readLevels = async (api: ApiClient, iods: readonly Iod[]): Promise<Map<string, Tlp>> => {
  const found = new Map<string, Tlp>()
  for (let at = 0; at < iods.length; at += LIMITS.levelsMax) {
    const ids = iods.slice(at, at + LIMITS.levelsMax).map(({ id }) => id)
    const levels = await api.call('POST /iods/levels', { body: { ids } })
    for (const [id, level] of Object.entries(levels)) found.set(id, level)
  }
  return found
}

interface Export {
  iods: readonly Iod[]
  format: 'csv' | 'json'
}

/** Saves IODs as a file. The code of the formats is loaded on first use. */
export function useExportIods() {
  const { api, session } = useHost()
  return useAction({
    mutationFn: async ({ iods, format }: Export) => {
      const { exportIods } = await import('@iodine/exchange')
      const levels = await readLevels(api, iods)
      const options = { now: new Date(), userId: session.user.id, levels }
      const { name, mediaType, text } = exportIods(iods, format, options)
      saveFile(name, new Blob([text], { type: mediaType }))
      return name
    },
    done: (name, { iods }) => `${formatAmount(iods.length, 'IOD')} exported as ${name}`,
    failed: 'Failed to export IODs',
  })
}
