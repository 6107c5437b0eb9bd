// DISARM's techniques: an entry of its own, as the list is long and few need it.
import type { UsedTechnique } from './technique.js'
import { LIST_DATE, TECHNIQUES } from './techniques.js'

export { techniqueOf } from './read.js'
export type { Technique } from './technique.js'
export { TECHNIQUES } from './techniques.js'

const byId = new Map(TECHNIQUES.map(each => [each.id, each]))

/** Whether the list has a technique of this id. */
export const isTechnique = (id: string): boolean => byId.has(id)

/** A campaign's techniques as files say them. */
export const usedTechniques = (stored: readonly { id: string; at: string }[]): UsedTechnique[] =>
  stored.map(({ id, at }) => ({ id, at, name: byId.get(id)?.name ?? null, since: LIST_DATE }))
