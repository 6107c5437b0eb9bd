import { highestTlp, type Tlp } from '@iodine/contracts'
import { techniqueOf } from '../disarm/read.js'
import { GALAXY } from '../disarm/technique.js'
import { isObject } from '../json/is-object.js'
import { short } from '../stix/read.js'
import { tlpOfTag } from '../tlp.js'

/** What an event, an object or an element of either says. */
type Element = Readonly<Record<string, unknown>>

/** Its UUID; empty if it has none. */
export const keyOf = ({ uuid }: Element): string => short(uuid).toLowerCase()

/** Its timestamp; empty if it has none. */
export const versionOf = ({ timestamp }: Element): string =>
  typeof timestamp === 'number' ? String(timestamp) : short(timestamp)

/** The names of its tags. */
export const tagsOf = ({ Tag }: Element): string[] =>
  (Array.isArray(Tag) ? Tag : []).flatMap(tag =>
    isObject(tag) && typeof tag.name === 'string' ? [tag.name] : [],
  )

/** The strictest level of its tags. */
export const tlpOfTags = (element: Element): Tlp | null => highestTlp(tagsOf(element).map(tlpOfTag))

/** Ids of techniques of DISARM that its tags and its galaxies' clusters name, in each spelling. */
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
