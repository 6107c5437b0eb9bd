import list from '../../data/disarm.json' with { type: 'json' }
import type { Technique } from './technique.js'

/** Date of the list. */
export const LIST_DATE = list.date

/** DISARM's techniques, sorted by id. */
export const TECHNIQUES: readonly Technique[] = list.techniques.map(([id = '', name = '', tactic = '']) => ({
  id,
  name,
  tactic,
}))
