import { highestTlp, type Tlp } from '@iodine/contracts'
import { techniqueOf } from '../disarm/read.js'
import { GALAXY } from '../disarm/technique.js'
import { isObject } from '../json/is-object.js'
import { asKey } from '../stix/read.js'
import { tlpOfTag } from '../tlp.js'

/** A parsed event, object, or element of either. */
type Element = Readonly<Record<string, unknown>>

/** Returns the UUID; empty if there is none. */
export const keyOf = ({ uuid }: Element): string => asKey(uuid).toLowerCase()

/** Returns the timestamp; empty if there is none. */
export const versionOf = ({ timestamp }: Element): string =>
  typeof timestamp === 'number' ? String(timestamp) : asKey(timestamp)

/** Returns the names of the tags. */
export const tagsOf = ({ Tag }: Element): string[] =>
  (Array.isArray(Tag) ? Tag : []).flatMap(tag =>
    isObject(tag) && typeof tag.name === 'string' ? [tag.name] : [],
  )

/** Returns the strictest TLP level of the tags. */
export const tlpOfTags = (element: Element): Tlp | null => highestTlp(tagsOf(element).map(tlpOfTag))

/** Returns the DISARM technique ids in tags and galaxy clusters, in all supported formats. */
export const techniquesOf = (element: Element): string[] => {
  const galaxies = Array.isArray(element.Galaxy) ? element.Galaxy.filter(isObject) : []
  const clusters = [element, ...galaxies]
    .flatMap(({ GalaxyCluster: all }) => (Array.isArray(all) ? all : []))
    .filter(isObject)
  const tags = clusters.flatMap(({ tag_name, type, value }) => [
    tag_name,
    type === GALAXY && typeof value === 'string' && `misp-galaxy:${GALAXY}="${value}"`,
  ])
  return [...new Set([...tagsOf(element), ...tags].flatMap(name => techniqueOf({ name }) ?? []))]
}
