import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Services by their calls: each calls those before it. */
const ORDER = ['auth', 'collector', 'sightings', 'narratives', 'iods', 'campaigns', 'workers']
/** Calls against the order. Each ends by its own timeout, so that two services never wait for each other for long. */
const AGAINST = [
  // The outbox delivers changed records.
  'collector → sightings',
  // Evidence that cites a capture: asked before captures are erased, and for archives.
  'collector → iods',
  // Reads the IOD that anonymous counts are about.
  'sightings → iods',
]

const WRITE = /\.(?:(?:insert|update|replace|delete)(?:One|Many)|bulkWrite|findOneAnd\w+|create|save)\(/

/**
 * Faults of services: queries that write to the database, and calls to services that come later in the order. Calls of
 * service-kit, and auth's calls to all services that have an endpoint, name no service and are free.
 * @param root folder of the repository
 * @returns one sentence per fault
 */
export const serviceFaults = root =>
  readdirSync(join(root, 'services'), { recursive: true })
    .filter(path => /^[^/]+\/src\/.*\.ts$/.test(path))
    .flatMap(path => {
      const text = readFileSync(join(root, 'services', path), 'utf8')
      const [service] = path.split('/')
      const calls = [...text.matchAll(/\.call\(\s*'([a-z]+)'/g)]
        .map(([, called]) => called)
        .filter(called => ORDER.indexOf(called) > ORDER.indexOf(service))
        .map(called => `${service} → ${called}`)
        .filter(call => !AGAINST.includes(call))
        .map(call => `services/${path} calls against the order: ${call}`)
      const writes = /\/queries\//.test(path) && WRITE.test(text)
      return [...calls, ...(writes ? [`services/${path} is a query and writes to the database`] : [])]
    })
