import { type PrefixRules, SERVICE_NAMES, SERVICES, type ServiceName } from '@iodine/contracts'

/** Target service and rules of the paths below a prefix. */
export interface Route extends PrefixRules {
  /** Start of the path below /api/v1: its first segment, or its first two. */
  prefix: string
  service: ServiceName
}

export const ROUTES: readonly Route[] = SERVICE_NAMES.flatMap(service =>
  Object.entries<PrefixRules>(SERVICES[service].prefixes).map(([prefix, rules]) => ({
    prefix,
    service,
    ...rules,
  })),
)
