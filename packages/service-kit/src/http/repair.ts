import { repairInternal, servicesWith } from '@iodine/contracts'
import type { Service } from '../service.js'

/**
 * Serves the repair, which the workers ask for every few seconds, and lets the metrics tell when it was last completed.
 * @param repair finishes what a crash, or a Redis that lost its data, left behind; resolves to how much that was
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
