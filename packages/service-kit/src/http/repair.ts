import { repairInternal, servicesWith } from '@iodine/contracts'
import type { StoreService } from '../service.js'

/**
 * Serves the repair endpoint, which the workers call every few seconds, and records the last completed repair
 * in the metrics. It also hands over what is owed to the audit log.
 * @param repair finishes work that a crash, or a Redis data loss, left undone; resolves to the number of
 *   items
 */
export const serveRepair = (service: StoreService, repair: () => Promise<number>): void => {
  if (!servicesWith(repairInternal.repair).some(name => name === service.name))
    throw new Error(
      `${service.name} serves a repair that nobody asks for: its manifest in packages/contracts/src/services.ts lacks it`,
    )
  service.metrics.noteRepair()
  service.internal(repairInternal.repair, async () => {
    const repaired = await repair()
    service.metrics.noteRepair()
    // Apart from the others: while auth is down, the rest of the repair is complete all the same.
    const handedOver = await service.audit.handOver().catch(error => {
      service.log.debug({ err: error }, 'audit entries are not handed over yet')
      return 0
    })
    return { repaired: repaired + handedOver }
  })
}
