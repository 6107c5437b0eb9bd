import { repairInternal, servicesWith } from '@iodine/contracts'
import type { Service } from '../service.js'

/**
 * Serves the repair endpoint, which the workers call every few seconds, and records the last completed repair
 * in the metrics.
 * @param repair finishes work that a crash, or a Redis data loss, left undone; resolves to the number of
 *   items
 */
export const serveRepair = (service: Service, repair: () => Promise<number>): void => {
  if (!servicesWith(repairInternal.repair).some(name => name === service.name))
    throw new Error(
      `${service.name} serves a repair that nobody asks for: its manifest in packages/contracts/src/services.ts lacks it`,
    )
  service.metrics.noteRepair()
  service.internal(repairInternal.repair, async () => {
    const repaired = await repair()
    service.metrics.noteRepair()
    return { repaired }
  })
}
