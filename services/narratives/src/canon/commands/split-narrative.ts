import { type BodyOf, type canonicalApi, DETAILS, LIMITS } from '@iodine/contracts'
import { conflict, invalid } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../store.js'
import { narrativeIn } from '../queries/canon-view.js'
import { type ClusterView, leadOf } from '../queries/narrative-view.js'
import { decide, idAfter, type PlannedChange } from './decide-canon.js'

/**
 * Splits variants off a part of a canonical narrative, in all narratives.
 * @throws HttpError 404 for an unknown narrative, 409 if the variants are in different clusters now or are merged in
 * this narrative only, 422 for none or all of the variants, or as `decide`
 */
export const splitNarrative = async (
  store: Store,
  userId: string,
  id: string,
  { part, members, together }: BodyOf<typeof canonicalApi.splitCanonical>,
): Promise<{ id: string; decision: string }> => {
  const user_id = new Types.ObjectId(userId)
  const narrative = narrativeIn(await store.canonReader.readView(user_id), id)
  const cluster = narrative[part]
  if (cluster.joined) throw conflict(DETAILS.mergedHere)
  const kind = part === 'verb' ? 'verb' : 'entity'
  const chosen = new Set(members)
  const all = cluster.labels.map(({ key }) => key)
  if (!members.every(key => all.includes(key))) throw invalid([DETAILS.notAMember])
  const rest = all.filter(key => !chosen.has(key))
  if (rest.length === 0) throw invalid([DETAILS.allMembers])
  if (chosen.size * rest.length > LIMITS.decisionRulesMax) throw invalid([DETAILS.decisionTooLarge])
  const keys = [...chosen]
  const rules: PlannedChange['rules'] = keys.flatMap(a =>
    rest.map(b => ({ a, b, relation: 'cannot' as const })),
  )
  if (together)
    for (const [n, b] of keys.entries())
      if (n > 0) rules.push({ a: keys[n - 1] as string, b, relation: 'must' })
  const labels = (selected: ReadonlySet<string>) =>
    cluster.labels.filter(({ key }) => selected.has(key)).map(({ label }) => label)
  const decision = await decide(store, user_id, 'split', [
    {
      kind,
      left: labels(chosen),
      right: labels(new Set(rest)),
      rules,
      keys,
      arrange(groups) {
        if (groups.length !== 1) throw conflict(DETAILS.membersMoved)
        const stay = groups.flat().filter(key => !chosen.has(key))
        return [...(together ? [keys] : keys.map(key => [key])), stay]
      },
    },
  ])
  const lead = (each: ClusterView) => (each === cluster ? (rest[0] as string) : leadOf(each))
  return {
    id: await idAfter(store, user_id, {
      subject: lead(narrative.subject),
      verb: lead(narrative.verb),
      object: lead(narrative.object),
    }),
    decision: decision.toHexString(),
  }
}
