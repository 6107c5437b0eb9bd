import type { StixBundle } from './bundle.js'
import type { StixObject } from './object.js'

/** Types that OpenCTI's client accepts, including its own (`x-opencti-`, `x-mitre-`). */
export const OPENCTI_TYPES: readonly string[] = `
  relationship sighting label vocabulary kill-chain-phase external-reference marking-definition
  attack-pattern campaign case-incident case-rfi case-rft channel course-of-action data-component data-source event feedback
  grouping identity incident indicator infrastructure intrusion-set language location malware malware-analysis narrative note
  observed-data opinion report task threat-actor tool vulnerability
  x-opencti-case-incident x-opencti-case-rfi x-opencti-case-rft x-opencti-feedback x-opencti-task
  x-mitre-data-component x-mitre-data-source
  artifact autonomous-system bank-account credential cryptocurrency-wallet cryptographic-key directory domain-name email-addr
  email-message email-mime-part-type file hostname ipv4-addr ipv6-addr mac-addr media-content mutex network-traffic payment-card
  persona phone-number process simple-observable software ssh-key text tracking-number url user-account user-agent
  windows-registry-key windows-registry-value-type x509-certificate
`
  .trim()
  .split(/\s+/)
const SUPPORTED = new Set(OPENCTI_TYPES)

/**
 * Adapts a bundle to OpenCTI: removes types that its client rejects, and merges indicators with equal patterns, by
 * which OpenCTI identifies them. References to merged indicators point to the first one.
 * @returns the bundle, and the number of removed objects
 */
export const forOpenCti = (bundle: StixBundle): { bundle: StixBundle; leftOut: number } => {
  const firstOf = new Map<unknown, string>()
  const sameAs = new Map<string, string>()
  for (const { type, id, pattern } of bundle.objects) {
    if (type !== 'indicator') continue
    const first = firstOf.get(pattern)
    if (first === undefined) firstOf.set(pattern, id)
    else sameAs.set(id, first)
  }
  const idOf = (id: unknown) => sameAs.get(String(id)) ?? id
  const connected = new Set<string>()
  const objects = bundle.objects.flatMap((object): StixObject[] => {
    const { type, id, source_ref, target_ref, object_refs } = object
    if (!SUPPORTED.has(type) || sameAs.has(id)) return []
    if (type === 'relationship') {
      const ends = { source_ref: idOf(source_ref), target_ref: idOf(target_ref) }
      const connection = `${object.relationship_type} ${ends.source_ref} ${ends.target_ref}`
      if (connected.has(connection)) return []
      connected.add(connection)
      return [{ ...object, ...ends }]
    }
    return [
      Array.isArray(object_refs) ? { ...object, object_refs: [...new Set(object_refs.map(idOf))] } : object,
    ]
  })
  return { bundle: { ...bundle, objects }, leftOut: bundle.objects.length - objects.length }
}
