import {
  type Constraints,
  constraintsOf,
  formOf,
  type Rule,
  type RuleKind,
  RulesConflict,
} from '@iodine/canon'
import {
  type BodyOf,
  CANON_KINDS,
  CANON_PARTS,
  type CanonKind,
  type canonicalApi,
  DETAILS,
  LIMITS,
  type MergeScope,
} from '@iodine/contracts'
import { conflict, invalid, notFound } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import type { Store } from '../../store.js'
import {
  type CanonDecisionDoc,
  type CanonMemberDoc,
  type CanonRuleDoc,
  type DecisionChange,
  type LabelRuleDoc,
  memberId,
} from '../models/canon.js'
import { arrange } from '../policies/arrange.js'
import { presentConflict } from '../presenters/canonical.js'
import { groupOf, stampOf } from '../queries/canon-map.js'
import type { CanonView } from '../queries/canon-view.js'
import { narrativeKeyOf } from '../queries/join-narratives.js'
import {
  type ClusterView,
  isPassive,
  leadOf,
  type NarrativeView,
  narrativeIdOf,
} from '../queries/narrative-view.js'
import { memberDocs } from './apply-canon.js'
import { enqueueClustering } from './mark-canon.js'

/** Maximum number of keys in the clusters that a decision stores for an immediate undo. */
const BEFORE_MAX = 2_000
/** Maximum number of undone decisions in a user's history. */
const UNDONE_MAX = 500

/** Changes of a decision for one kind: its rules and clusters. */
interface PlannedChange {
  kind: CanonKind
  left: string[]
  right: string[]
  rules: Pick<Rule, 'a' | 'b' | 'relation'>[]
  /** Keys whose clusters are rearranged. */
  keys: string[]
  /**
   * Returns the new clusters from the current clusters of the keys. @throws HttpError if the user saw other clusters
   */
  arrange(groups: string[][]): string[][]
}

const find = (view: CanonView, id: string): NarrativeView => {
  const found = view.byId.get(id.toLowerCase())
  if (!found) throw notFound()
  return found
}

/** Returns the complete clusters that contain the keys. A key without a cluster forms its own. */
const groupsWith = async (
  { canonMembers }: Store,
  user_id: Types.ObjectId,
  kind: CanonKind,
  keys: readonly string[],
  session: ClientSession,
): Promise<string[][]> => {
  const ids = [...new Set(keys)].map(key => memberId(user_id, kind, key))
  const clusters = await canonMembers.distinct('cluster', { _id: { $in: ids } }).session(session)
  const members = await canonMembers
    .find({ user_id, kind, cluster: { $in: clusters } }, { key: 1, cluster: 1 }, { session })
    .lean<Pick<CanonMemberDoc, 'key' | 'cluster'>[]>()
  const groups = new Map<string, string[]>()
  for (const { key, cluster } of members) {
    const group = groups.get(cluster)
    if (group) group.push(key)
    else groups.set(cluster, [key])
  }
  const found = new Set(members.map(({ key }) => key))
  return [...groups.values(), ...[...new Set(keys)].filter(key => !found.has(key)).map(key => [key])]
}

/** Replaces the clusters of the groups' keys by the groups. */
const storeGroups = async (
  { canonMembers }: Store,
  user_id: Types.ObjectId,
  kind: CanonKind,
  groups: readonly string[][],
  session: ClientSession,
): Promise<void> => {
  const ids = groups.flat().map(key => memberId(user_id, kind, key))
  const selected = { _id: { $in: ids } }
  // Keeps the reasons: they mark the labels that were joined by meaning.
  const before = await canonMembers.find(selected, { key: 1, why: 1 }, { session }).lean<CanonMemberDoc[]>()
  const reasons = new Map(before.map(({ key, why }) => [key, why]))
  await canonMembers.deleteMany(selected, { session })
  const clusters = groups
    .filter(({ length }) => length > 1)
    .map(keys => {
      const turned = new Set(kind === 'verb' ? keys.filter(key => formOf(key).turned) : [])
      // In a cluster of only passive verbs, none is turned.
      const isMixed = turned.size < keys.length
      return keys.map(key => ({
        key,
        why: reasons.get(key) ?? ('rule' as const),
        turned: isMixed && turned.has(key),
      }))
    })
  await canonMembers.insertMany(memberDocs(user_id, kind, clusters), { session, lean: true })
}

/** Returns the rules about labels. */
const rulesOf = async (
  { canonRules }: Store,
  user_id: Types.ObjectId,
  session: ClientSession,
): Promise<LabelRuleDoc[]> =>
  canonRules
    .find({ user_id, kind: { $in: CANON_KINDS } }, null, { session })
    .sort({ _id: 1 })
    .lean<LabelRuleDoc[]>()

/** Increments the revision, so that clusters from earlier decisions are not stored. Serializes a user's decisions. */
const nextRevision = async (store: Store, _id: Types.ObjectId, session: ClientSession) => {
  const change = { $inc: { revision: 1, version: 1 } }
  await store.canon.updateOne({ _id }, change, { session, upsert: true })
  await enqueueClustering(store, _id, session)
}

/**
 * Returns the transitive closure of the rules of one kind.
 * @throws HttpError 409 with the names of the stored rules that contradict new ones
 */
const constraintsIn = (
  rules: readonly Rule[],
  kind: RuleKind,
  existing: readonly LabelRuleDoc[],
): Constraints => {
  try {
    return constraintsOf(rules, kind)
  } catch (error) {
    if (error instanceof RulesConflict) throw conflict(presentConflict(error.rules, existing))
    throw error
  }
}

/** What a decision stores. */
interface Outcome extends Pick<CanonDecisionDoc, 'changes' | 'narrative'> {
  rules: Pick<CanonRuleDoc, 'kind' | 'a' | 'b' | 'relation'>[]
}

/**
 * Stores a decision and its rules, in the transaction of `work`. A user's decisions run one after another.
 * @throws HttpError 413 above the quota, or as `work`
 */
const storeDecision = async (
  store: Store,
  user_id: Types.ObjectId,
  action: CanonDecisionDoc['action'],
  work: (session: ClientSession) => Promise<Outcome>,
): Promise<Types.ObjectId> => {
  const { quotas, canonRules, canonDecisions } = store
  const decision = new Types.ObjectId()
  await quotas.settle(
    async (session, take) => {
      await nextRevision(store, user_id, session)
      const { rules, ...outcome } = await work(session)
      const at = new Date()
      await canonRules.insertMany(
        rules.map(rule => ({ _id: new Types.ObjectId(), user_id, ...rule, at, decision })),
        { session, lean: true },
      )
      await canonDecisions.insertMany(
        [{ _id: decision, user_id, created_at: at, action, ...outcome, undone_at: null }],
        { session, lean: true },
      )
      await take(user_id, { canon_rules: rules.length })
    },
    { retriesDuplicates: true },
  )
  return decision
}

/** Returns both texts in the order in which rules store them. */
const inOrder = (a: string, b: string) => (a < b ? { a, b } : { a: b, b: a })

/**
 * Stores a decision about labels with its rules and the resulting clusters.
 * @throws HttpError 409 with the names of contradicting rules, 422 for too many rules, or as `storeDecision`
 */
const decide = (
  store: Store,
  user_id: Types.ObjectId,
  action: CanonDecisionDoc['action'],
  planned: readonly PlannedChange[],
): Promise<Types.ObjectId> =>
  storeDecision(store, user_id, action, async session => {
    const existing = await rulesOf(store, user_id, session)
    const nameOf = ({ kind, a, b, relation }: Rule) => JSON.stringify([kind, a, b, relation])
    const known = new Set(existing.map(nameOf))
    const added: Rule[] = []
    for (const { kind, rules } of planned)
      for (const { a, b, relation } of rules) {
        const rule = { kind, ...inOrder(a, b), relation }
        if (known.has(nameOf(rule))) continue
        known.add(nameOf(rule))
        added.push(rule)
      }
    if (added.length > LIMITS.decisionRulesMax) throw invalid([DETAILS.decisionTooLarge])
    const changes: DecisionChange[] = []
    for (const { kind, left, right, keys, arrange: arrangeKeys } of planned) {
      const constraints = constraintsIn([...existing, ...added], kind, existing)
      const before = await groupsWith(store, user_id, kind, keys, session)
      const groups = arrange(arrangeKeys(before), constraints)
      await storeGroups(store, user_id, kind, groups, session)
      changes.push({ kind, left, right, ...(before.flat().length <= BEFORE_MAX && { before }) })
    }
    return { rules: added, changes }
  })

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

/** Returns the id of a narrative after a decision, by keys of its subject, verb and object. */
const idAfter = async (
  { canonReader, canon }: Store,
  user_id: Types.ObjectId,
  { subject, verb, object }: Record<'subject' | 'verb' | 'object', string>,
): Promise<string> => {
  const map = await canonReader.readMap(user_id, await stampOf({ canon }, user_id))
  return narrativeIdOf(
    groupOf(map, 'entity', subject).id,
    groupOf(map, 'verb', verb).id,
    groupOf(map, 'entity', object).id,
  )
}

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
  const [one, two] = [find(view, id), find(view, other)]
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
  const narrative = find(await store.canonReader.readView(user_id), id)
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

/** Undoes a decision. @throws HttpError 404 for another user's decision, 409 for an undone one */
export const undoDecision = async (store: Store, userId: string, id: string): Promise<void> => {
  const { quotas, canonRules, canonDecisions } = store
  const user_id = new Types.ObjectId(userId)
  await quotas.settle(
    async (session, take) => {
      const own = { _id: id, user_id }
      const decision = await canonDecisions
        .findOneAndUpdate({ ...own, undone_at: null }, { $set: { undone_at: new Date() } }, { session })
        .lean<CanonDecisionDoc>()
      if (!decision)
        throw (await canonDecisions.exists(own).session(session))
          ? conflict(DETAILS.decisionUndone)
          : notFound()
      await nextRevision(store, user_id, session)
      const { deletedCount } = await canonRules.deleteMany({ user_id, decision: decision._id }, { session })
      const rules = await rulesOf(store, user_id, session)
      // In reverse order: each change stores the clusters that the previous changes left.
      for (const { kind, before } of decision.changes.toReversed()) {
        if (!before) continue
        const known = new Set(before.flat())
        const now = await groupsWith(store, user_id, kind, [...known], session)
        // Keys that were added later stay together. The stored keys return to their earlier clusters.
        const others = now.map(keys => keys.filter(key => !known.has(key))).filter(keys => keys.length > 0)
        const groups = arrange([...before, ...others], constraintsOf(rules, kind))
        await storeGroups(store, user_id, kind, groups, session)
      }
      const surplus = await canonDecisions
        .find({ user_id, undone_at: { $ne: null } }, { _id: 1 }, { session })
        .sort({ created_at: -1, _id: -1 })
        .skip(UNDONE_MAX)
        .lean<Pick<CanonDecisionDoc, '_id'>[]>()
      if (surplus.length > 0)
        await canonDecisions.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } }, { session })
      await take(user_id, { canon_rules: -deletedCount })
    },
    { retriesDuplicates: true },
  )
}
