import { CANON_PARTS, type CanonKind, DETAILS, type MergeScope } from '@iodine/contracts'
import { conflict } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../store.js'
import { type CanonView, narrativeIn } from '../queries/canon-view.js'
import { narrativeKeyOf } from '../queries/join-narratives.js'
import { type ClusterView, isPassive, leadOf, type NarrativeView } from '../queries/narrative-view.js'
import { decide, idAfter, inOrder, type PlannedChange, storeDecision } from './decide-canon.js'

/** Returns the parts of two narratives that a merge makes equal, those of the second turned like the first. */
const partPairs = (one: NarrativeView, two: NarrativeView) => {
  const isTurned = isPassive(one.verb) !== isPassive(two.verb)
  const [subject, object] = isTurned ? [two.object, two.subject] : [two.subject, two.object]
  const pairs = [
    { kind: 'entity' as const, left: one.subject, right: subject },
    { kind: 'verb' as const, left: one.verb, right: two.verb },
    { kind: 'entity' as const, left: one.object, right: object },
  ]
  return pairs.filter(({ left, right }) => left.id !== right.id)
}

/** Returns two different narratives of a user. @throws HttpError 404 for an unknown one, 409 if they are the same */
const findBoth = (view: CanonView, id: string, other: string): [NarrativeView, NarrativeView] => {
  const [one, two] = [narrativeIn(view, id), narrativeIn(view, other)]
  if (one === two) throw conflict(DETAILS.sameNarrative)
  return [one, two]
}

/**
 * Returns the other narratives that a merge in all narratives would change, by reach.
 * @throws HttpError 404 for an unknown narrative, 409 for a narrative with itself
 */
export const changedByMerge = (view: CanonView, id: string, other: string): NarrativeView[] => {
  const [one, two] = findBoth(view, id, other)
  const changed = { entity: new Set<string>(), verb: new Set<string>() }
  for (const { kind, left, right } of partPairs(one, two)) changed[kind].add(left.id).add(right.id)
  const isChanged = (kind: CanonKind, { id, joined = [] }: ClusterView) =>
    [id, ...joined].some(each => changed[kind].has(each))
  return view.narratives.filter(
    each =>
      each !== one &&
      each !== two &&
      (isChanged('verb', each.verb) || isChanged('entity', each.subject) || isChanged('entity', each.object)),
  )
}

/**
 * Stores a merge of two narratives that leaves their clusters as they are.
 * @throws HttpError 409 if they are merged already, or as `storeDecision`
 */
const mergeOnly = (
  store: Store,
  user_id: Types.ObjectId,
  one: NarrativeView,
  two: NarrativeView,
): Promise<Types.ObjectId> =>
  storeDecision(store, user_id, 'merge', async session => {
    const rule = {
      kind: 'narrative' as const,
      ...inOrder(narrativeKeyOf(one), narrativeKeyOf(two)),
      relation: 'must' as const,
    }
    if (await store.canonRules.exists({ user_id, ...rule }).session(session))
      throw conflict(DETAILS.sameNarrative)
    return {
      rules: [rule],
      changes: partPairs(one, two).map(({ kind, left, right }) => ({
        kind,
        left: [left.label],
        right: [right.label],
      })),
      narrative: CANON_PARTS.map(part => one[part].label),
    }
  })

/**
 * Merges two canonical narratives. In scope `all`, merges their subjects, verbs and objects in all narratives. A passive
 * narrative is turned.
 * @throws HttpError 404 for an unknown narrative, or as `decide`
 */
export const mergeNarratives = async (
  store: Store,
  userId: string,
  id: string,
  other: string,
  scope: MergeScope,
): Promise<{ id: string; decision: string }> => {
  const user_id = new Types.ObjectId(userId)
  const [one, two] = findBoth(await store.canonReader.readView(user_id), id, other)
  if (scope === 'narrative') {
    const decision = await mergeOnly(store, user_id, one, two)
    return { id: one.id, decision: decision.toHexString() }
  }
  const planned = partPairs(one, two).map(({ kind, left, right }): PlannedChange => {
    const [a, b] = [leadOf(left), leadOf(right)]
    return {
      kind,
      left: [left.label],
      right: [right.label],
      rules: [{ a, b, relation: 'must' }],
      keys: [a, b],
      arrange: groups => [groups.flat()],
    }
  })
  const decision = await decide(store, user_id, 'merge', planned)
  const keys = { subject: leadOf(one.subject), verb: leadOf(one.verb), object: leadOf(one.object) }
  // The merge of a passive verb with an active one turns the narrative.
  const after = isPassive(one.verb) && !isPassive(two.verb)
  return {
    id: await idAfter(store, user_id, after ? { ...keys, subject: keys.object, object: keys.subject } : keys),
    decision: decision.toHexString(),
  }
}
