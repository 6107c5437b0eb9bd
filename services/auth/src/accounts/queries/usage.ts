import { QUOTAS, servicesWith, type Usage, usageInternal } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'

const USAGE_SERVICES = servicesWith(usageInternal.getUsage)

/** Returns a user's usage of all quotas; null for a service that is down or does not answer within 2 s. */
export const gatherUsage = async (peers: Peers, id: string): Promise<Usage> => {
  const answers = await Promise.all(
    USAGE_SERVICES.map(name =>
      peers.call(name, usageInternal.getUsage, { params: { id } }).catch(() => ({})),
    ),
  )
  const known: Partial<Usage> = Object.assign({}, ...answers)
  return Object.fromEntries(QUOTAS.map(name => [name, known[name] ?? null])) as Usage
}
