import { TECHNIQUE_PATTERN } from '@iodine/contracts'
import { clusterOf, galaxyValueOf } from './galaxy.js'
import { GALAXY, type Technique } from './technique.js'
import { FORMER_NAMES, TECHNIQUES } from './techniques.js'

const rankOf = (technique: Technique): number =>
  galaxyValueOf(technique) !== undefined ? 2 : technique.until === null ? 1 : 0

/**
 * Ids by value, name or earlier name, in lower case. Of two ids with one name, the one whose cluster the galaxy
 * contains comes first, then the current one.
 */
const idByName = new Map(
  [
    ...FORMER_NAMES,
    ...[...TECHNIQUES]
      .sort((a, b) => rankOf(a) - rankOf(b))
      .flatMap(technique =>
        [technique.name, galaxyValueOf(technique) ?? technique.name].map(
          name => [name, technique.id] as const,
        ),
      ),
  ].map(([name, id]) => [name.toLowerCase(), id]),
)
let idByCluster: ReadonlyMap<string, string> | undefined
/**
 * Returns the technique of a cluster's UUID. The first call computes all UUIDs. DISARM's own STIX ids are not read: of
 * a technique newer than July 2022, each release has another one.
 */
const ofCluster = (uuid: string): string | undefined => {
  idByCluster ??= new Map(TECHNIQUES.map(({ id }) => [clusterOf(id), id]))
  return idByCluster.get(uuid)
}

const asId = (given: unknown): string | undefined => {
  const id = typeof given === 'string' ? given.trim().toUpperCase() : ''
  return TECHNIQUE_PATTERN.test(id) ? id : undefined
}

/**
 * Returns whether a reference is to DISARM. DISARM shares its source name with MITRE ATT&CK, whose ids have the same
 * form: ATT&CK's ids begin at T0800 (industrial control systems) and at T1001.
 */
const isOfDisarm = (source: string, id: string): boolean =>
  source === 'disarm' || (source === 'mitre-attack' && id < 'T0800')

/** Maximum characters of a name that is no id. */
const NAME_MAX = 100

const ofReference = (reference: unknown): string | undefined => {
  const { source_name, external_id } = (reference ?? {}) as Record<string, unknown>
  const source = typeof source_name === 'string' ? source_name.trim().toLowerCase() : ''
  const id = asId(external_id)
  if (id) return isOfDisarm(source, id) ? id : undefined
  return source === 'disarm' && typeof external_id === 'string'
    ? external_id.trim().slice(0, NAME_MAX) || undefined
    : undefined
}

const TAG = new RegExp(`^misp-galaxy:${GALAXY}="(.*)"$`, 'is')

/**
 * Returns the technique of a galaxy tag. The value is the name; early versions prepend the id, some tools append it.
 */
const ofTag = (tag: string): string | undefined => {
  const value = TAG.exec(tag.trim())?.[1]?.trim()
  if (value === undefined) return undefined
  const [, before, after] = /^(?:(T[\d.]+) - .*|.* - (T[\d.]+))$/is.exec(value) ?? []
  return (
    idByName.get(value.toLowerCase()) ??
    asId(before ?? after ?? value) ??
    (value.slice(0, NAME_MAX) || undefined)
  )
}

/**
 * Returns the DISARM id of the technique that an object of another tool refers to. The object is a MISP tag (`{name}`),
 * or a STIX attack-pattern, identified by its external references (source name `mitre-attack`, in some tools `DISARM`)
 * or by the id of MISP's cluster. The list may lack the id. If the object names a DISARM technique without an id,
 * returns the name.
 * @param object of any shape
 * @returns undefined for all other objects
 */
export function techniqueOf(object: unknown): string | undefined {
  if (typeof object !== 'object' || object === null) return undefined
  const { type, id, name, external_references } = object as Record<string, unknown>
  if (type === undefined) return typeof name === 'string' ? ofTag(name) : undefined
  if (type !== 'attack-pattern') return undefined
  const references = Array.isArray(external_references) ? external_references : []
  const named = references.flatMap(reference => ofReference(reference) ?? [])
  const cluster = typeof id === 'string' ? ofCluster(id.slice('attack-pattern--'.length)) : undefined
  return named.find(each => TECHNIQUE_PATTERN.test(each)) ?? cluster ?? named[0]
}
