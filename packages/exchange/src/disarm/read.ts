import { TECHNIQUE_PATTERN } from '@iodine/contracts'
import { CLUSTERS } from './clusters.js'
import { GALAXY } from './technique.js'
import { TECHNIQUES } from './techniques.js'

const idByName = new Map(TECHNIQUES.map(({ id, name }) => [name.toLowerCase(), id]))
const idByCluster = new Map(Object.entries(CLUSTERS).map(([id, uuid]) => [uuid, id]))

const asId = (given: unknown): string | undefined => {
  const id = typeof given === 'string' ? given.trim().toUpperCase() : ''
  return TECHNIQUE_PATTERN.test(id) ? id : undefined
}

/**
 * DISARM shares its source name with MITRE ATT&CK, whose ids look the same: those of industrial control systems begin
 * at T0800, all others at T1001.
 */
const isOfDisarm = (source: string, id: string): boolean =>
  source === 'disarm' || (source === 'mitre-attack' && id < 'T0800')

/** Characters of a name that is no id. */
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

/** The galaxy's values are names alone; those of its first days had the id before it, as others have it behind. */
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
 * DISARM's id of the technique that an object of another tool's file means: a STIX attack-pattern, by its external
 * references (DISARM's source name is `mitre-attack`, some tools write `DISARM`) or by the id of MISP's cluster; or
 * a tag of MISP (`{name}`). It may be one that our list doesn't have; where the object names a technique of DISARM by a text
 * that is no id, the text.
 * @returns undefined for everything else, whatever its shape
 */
export function techniqueOf(object: unknown): string | undefined {
  if (typeof object !== 'object' || object === null) return undefined
  const { type, id, name, external_references } = object as Record<string, unknown>
  if (type === undefined) return typeof name === 'string' ? ofTag(name) : undefined
  if (type !== 'attack-pattern') return undefined
  const references = Array.isArray(external_references) ? external_references : []
  const named = references.flatMap(reference => ofReference(reference) ?? [])
  const cluster = typeof id === 'string' ? idByCluster.get(id.slice('attack-pattern--'.length)) : undefined
  return named.find(each => TECHNIQUE_PATTERN.test(each)) ?? cluster ?? named[0]
}
