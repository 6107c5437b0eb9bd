// DISARM's techniques: a separate entry point, because the list is long and rarely needed.
import type { UsedTechnique } from './technique.js'
import { LIST_DATE, TECHNIQUES } from './techniques.js'

export { techniqueOf } from './read.js'
export type { Technique } from './technique.js'
export { TECHNIQUES } from './techniques.js'

const byId = new Map(TECHNIQUES.map(each => [each.id, each]))

/** Returns whether the list contains a technique with this id. */
export const isTechnique = (id: string): boolean => byId.has(id)

/** Converts a campaign's stored techniques for export files. */
export const usedTechniques = (stored: readonly { id: string; at: string }[]): UsedTechnique[] =>
  stored.map(({ id, at }) => ({ id, at, name: byId.get(id)?.name ?? null, since: LIST_DATE }))
