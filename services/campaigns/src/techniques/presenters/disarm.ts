import type { DisarmList } from '@iodine/contracts'
import { LIST_DATE, successorsOf, TACTICS, TECHNIQUES, VERSION } from '@iodine/exchange/disarm'

/** Presents DISARM's list. */
export const presentDisarm = (): DisarmList => ({
  version: VERSION,
  date: LIST_DATE,
  tactics: [...TACTICS],
  techniques: TECHNIQUES.map(({ id, name, tactic, since, until }) => {
    const successors = successorsOf(id)
    return {
      id,
      name,
      tactic: tactic.id,
      since,
      until,
      successors: successors ? { ids: [...successors.ids], basis: successors.basis } : null,
    }
  }),
})
