import type { Stored } from '../observe/metrics.js'
import type { StoreService } from '../store-service.js'

const NEARLY_FULL = 0.8
const EVERY_MS = 60_000

/** Exports storage growth to the metrics, and logs a warning while little capacity is left. */
export const watchStorage = (service: StoreService, read: () => Promise<Stored>): void => {
  service.metrics.watchStorage(read)
  let warned = false
  const look = async () => {
    const { share, ...stored } = await read()
    const nearlyFull = share >= NEARLY_FULL
    if (nearlyFull && !warned) service.log.warn({ ...stored, share }, 'storage is nearly full')
    warned = nearlyFull
  }
  // An unreachable database is reported elsewhere.
  const timer = setInterval(() => void look().catch(() => {}), EVERY_MS)
  service.onClose(() => clearInterval(timer))
}
