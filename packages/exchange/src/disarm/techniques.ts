import list from '../../data/disarm.json' with { type: 'json' }
import type { Tactic, Technique } from './technique.js'

/** Version and date of DISARM Red, the latest release in the list. */
export const VERSION = list.version
export const LIST_DATE = list.date

/** All releases in the list, in their order. */
export const RELEASES: readonly string[] = list.releases

/** DISARM's tactics in the order of its matrix. */
export const TACTICS: readonly Tactic[] = list.tactics.map(([id = '', name = '', phase], n) => ({
  id,
  name,
  phase: phase as Tactic['phase'],
  rank: n + 1,
}))

const tacticById = new Map(TACTICS.map(tactic => [tactic.id, tactic]))

/** The techniques of all releases, sorted by id. */
export const TECHNIQUES: readonly Technique[] = list.techniques.map(([id, name, tactic, since, until]) => ({
  id: id as string,
  name: name as string,
  tactic: tacticById.get(tactic as string) as Tactic,
  since: since as string,
  until: until as string | null,
}))

const byId = new Map(TECHNIQUES.map(technique => [technique.id, technique]))

/** Returns the technique with this id, of any release. */
export const findTechnique = (id: string): Technique | undefined => byId.get(id)

/** Earlier names of techniques, with their ids. */
export const FORMER_NAMES = list.former as [name: string, id: string][]
