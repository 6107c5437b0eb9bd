import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Services in the order of calls: each calls only earlier ones. */
const ORDER = [
  'auth',
  'collector',
  'sightings',
  'narratives',
  'iods',
  'campaigns',
  'notifications',
  'workers',
]
/** Permitted calls against the order. Each has a timeout, which limits deadlocks. */
const AGAINST = [
  // The outbox delivers changed records.
  'collector → sightings',
  // Queries evidence that cites a capture, before erasing captures and for archives. Compares new records with IODs.
  'collector → iods',
  // The command that erases a quoted person's words deletes the quotes of techniques.
  'collector → campaigns',
  // Reads the members of the campaign that filters IODs.
  'iods → campaigns',
  // Reads the IOD of anonymous counts.
  'sightings → iods',
]

const WRITE = /\.(?:(?:insert|update|replace|delete)(?:One|Many)|bulkWrite|findOneAnd\w+|create|save)\(/

/**
 * Checks services for queries that write to the database, and for calls against the order. Calls of service-kit, and
 * auth's calls to all services with an endpoint, name no service and are not checked.
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
