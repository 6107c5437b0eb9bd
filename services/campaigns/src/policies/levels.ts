import { TLP_LEVELS, type Tlp } from '@iodine/contracts'

/** The place of a level in `TLP_LEVELS`, as the database keeps it, so that it can raise one. */
export const rankOf = (level: Tlp | null): number | null =>
  level === null ? null : TLP_LEVELS.indexOf(level)

/** The level of a place; null for none. */
export const levelOf = (rank: number | null | undefined): Tlp | null =>
  rank == null ? null : (TLP_LEVELS[rank] ?? null)

/** Level of campaigns that nobody has given another: for the community of members, not for the public. */
export const USUAL_RANK = TLP_LEVELS.indexOf('green')
