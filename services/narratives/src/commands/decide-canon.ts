import {
  type Constraints,
  constraintsOf,
  formOf,
  type Rule,
  type RuleKind,
  RulesConflict,
} from '@iodine/canon'
import { type BodyOf, type CanonKind, type canonicalApi, DETAILS, LIMITS } from '@iodine/contracts'
import { conflict, invalid, notFound } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import {
  type CanonDecisionDoc,
  type CanonMemberDoc,
  type CanonRuleDoc,
  type Changed,
  memberId,
} from '../models/canon.js'
import { arrange } from '../policies/arrange.js'
import { presentConflict } from '../presenters/canonical.js'
import { groupOf, stampOf } from '../queries/canon-map.js'
import { type CanonView, narrativeIdOf, type SaidCluster, type SaidNarrative } from '../queries/canon-view.js'
import type { Store } from '../store.js'
import { memberDocs } from './apply-canon.js'
import { enqueueClustering } from './mark-canon.js'

/** Keys of clusters that a decision keeps, so that undoing it shows at once. */
const BEFORE_MAX = 2_000
/** Undone decisions that a user's history keeps. */
const UNDONE_MAX = 500

/** What a decision changes of one kind: the rules it makes, and the clusters it wants. */
interface Wanted {
  kind: CanonKind
  left: string[]
  right: string[]
  rules: Pick<Rule, 'a' | 'b' | 'relation'>[]
  /** Keys whose clusters are arranged anew. */
  keys: string[]
  /** The clusters wanted of those that the keys are in. @throws HttpError if they are not as the user saw them */
  arrange(groups: string[][]): string[][]
}

/** The key that stands for a cluster in rules: that of the label which the user sees. */
const leadOf = ({ labels, label }: SaidCluster): string =>
  (labels.find(said => said.label === label) ?? labels[0])?.key ?? ''

const find = (view: CanonView, id: string): SaidNarrative => {
  const found = view.byId.get(id.toLowerCase())
  if (!found) throw notFound()
  return found
}

/** The clusters that keys are in, each whole. A key that is in none is alone. */
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

/** Stores clusters in the place of those that their keys were in. */
const storeGroups = async (
  { canonMembers }: Store,
  user_id: Types.ObjectId,
  kind: CanonKind,
  groups: readonly string[][],
  session: ClientSession,
): Promise<void> => {
  const ids = groups.flat().map(key => memberId(user_id, kind, key))
  const selected = { _id: { $in: ids } }
  // What meaning has joined is told by its reason, also where the cluster changes.
  const before = await canonMembers.find(selected, { key: 1, why: 1 }, { session }).lean<CanonMemberDoc[]>()
  const reasons = new Map(before.map(({ key, why }) => [key, why]))
  await canonMembers.deleteMany(selected, { session })
  const clusters = groups
    .filter(({ length }) => length > 1)
    .map(keys => {
      const turned = new Set(kind === 'verb' ? keys.filter(key => formOf(key).turned) : [])
      // A cluster of passives alone is read as it stands.
      const isMixed = turned.size < keys.length
      return keys.map(key => ({
        key,
        why: reasons.get(key) ?? ('rule' as const),
        turned: isMixed && turned.has(key),
      }))
    })
  await canonMembers.insertMany(memberDocs(user_id, kind, clusters), { session, lean: true })
}

const rulesOf = async (
  { canonRules }: Store,
  user_id: Types.ObjectId,
  session: ClientSession,
): Promise<CanonRuleDoc[]> =>
  canonRules.find({ user_id }, null, { session }).sort({ _id: 1 }).lean<CanonRuleDoc[]>()

/** Changes the revision, so that clusters made of earlier decisions are not stored. Serializes a user's decisions. */
const nextRevision = async (store: Store, _id: Types.ObjectId, session: ClientSession) => {
  const change = { $inc: { revision: 1, version: 1 } }
  await store.canon.updateOne({ _id }, change, { session, upsert: true })
  await enqueueClustering(store, _id, session)
}

/** Rules of one kind, closed over their chains. Throws 409 with the names of those that contradict new ones. */
const constraintsIn = (
  rules: readonly CanonRuleDoc[],
  kind: RuleKind,
  standing: readonly CanonRuleDoc[],
): Constraints => {
  try {
    return constraintsOf(rules, kind)
  } catch (error) {
    if (error instanceof RulesConflict) throw conflict(presentConflict(error.rules, standing))
    throw error
  }
}

/**
 * Stores a decision with its rules and the clusters that follow from it. Throws 409 if rules contradict it, with
 * their names, 413 if the user has no room for more, 422 if it takes too many.
 */
const decide = async (
  store: Store,
  user_id: Types.ObjectId,
  action: CanonDecisionDoc['action'],
  wanted: readonly Wanted[],
): Promise<Types.ObjectId> => {
  const { quotas, canonRules, canonDecisions } = store
  const decision = new Types.ObjectId()
  await quotas.settle(
    async (session, take) => {
      await nextRevision(store, user_id, session)
      const standing = await rulesOf(store, user_id, session)
      const known = new Set(
        standing.map(({ kind, a, b, relation }) => JSON.stringify([kind, a, b, relation])),
      )
      const added: CanonRuleDoc[] = []
      const at = new Date()
      const changes: Changed[] = []
      for (const { kind, rules: asked } of wanted)
        for (const { a, b, relation } of asked) {
          const [low, high] = a < b ? [a, b] : [b, a]
          const name = JSON.stringify([kind, low, high, relation])
          if (known.has(name)) continue
          known.add(name)
          added.push({
            _id: new Types.ObjectId(),
            user_id,
            kind,
            a: low,
            b: high,
            relation,
            at,
            decision,
          })
        }
      if (added.length > LIMITS.decisionRulesMax) throw invalid([DETAILS.decisionTooLarge])
      const rules = [...standing, ...added]
      for (const { kind, left, right, keys, arrange: arrangeKeys } of wanted) {
        const constraints = constraintsIn(rules, kind, standing)
        const before = await groupsWith(store, user_id, kind, keys, session)
        const groups = arrange(arrangeKeys(before), constraints)
        await storeGroups(store, user_id, kind, groups, session)
        changes.push({ kind, left, right, ...(before.flat().length <= BEFORE_MAX && { before }) })
      }
      await canonRules.insertMany(added, { session, lean: true })
      await canonDecisions.insertMany(
        [{ _id: decision, user_id, created_at: at, action, changes, undone_at: null }],
        { session, lean: true },
      )
      await take(user_id, { canon_rules: added.length })
    },
    { retriesDuplicates: true },
  )
  return decision
}

/** Keys that stand for the parts of the narrative after a decision: its id is found by them. */
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

const isPassive = ({ labels }: SaidCluster) => labels.every(({ key }) => formOf(key).turned)

/**
 * Merges two canonical narratives: the parts of one are the same as those of the other, everywhere. A passive one
 * is turned. Throws 404, or as `decide` does.
 */
export const mergeNarratives = async (
  store: Store,
  userId: string,
  id: string,
  other: string,
): Promise<{ id: string; decision: string }> => {
  const user_id = new Types.ObjectId(userId)
  const view = await store.canonReader.readView(user_id)
  const [one, two] = [find(view, id), find(view, other)]
  if (one === two) throw conflict(DETAILS.sameNarrative)
  const isTurned = isPassive(one.verb) !== isPassive(two.verb)
  const [subject, object] = isTurned ? [two.object, two.subject] : [two.subject, two.object]
  const wanted: Wanted[] = []
  const same = (kind: RuleKind, left: SaidCluster, right: SaidCluster) => {
    if (left.id === right.id) return
    const [a, b] = [leadOf(left), leadOf(right)]
    wanted.push({
      kind,
      left: [left.label],
      right: [right.label],
      rules: [{ a, b, relation: 'must' }],
      keys: [a, b],
      arrange: groups => [groups.flat()],
    })
  }
  same('entity', one.subject, subject)
  same('verb', one.verb, two.verb)
  same('entity', one.object, object)
  const decision = await decide(store, user_id, 'merge', wanted)
  const keys = { subject: leadOf(one.subject), verb: leadOf(one.verb), object: leadOf(one.object) }
  // Among passives alone, an active verb turns the narrative.
  const after = isPassive(one.verb) && !isPassive(two.verb)
  return {
    id: await idAfter(store, user_id, after ? { ...keys, subject: keys.object, object: keys.subject } : keys),
    decision: decision.toHexString(),
  }
}

/**
 * Splits members off a part of a canonical narrative, everywhere. Throws 404, 409 if they are not in one cluster
 * any more, 422 if they are no members or all of them, or as `decide` does.
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
  const kind = part === 'verb' ? 'verb' : 'entity'
  const chosen = new Set(members)
  const all = cluster.labels.map(({ key }) => key)
  if (!members.every(key => all.includes(key))) throw invalid([DETAILS.notAMember])
  const rest = all.filter(key => !chosen.has(key))
  if (rest.length === 0) throw invalid([DETAILS.allMembers])
  if (chosen.size * rest.length > LIMITS.decisionRulesMax) throw invalid([DETAILS.decisionTooLarge])
  const keys = [...chosen]
  const rules: Wanted['rules'] = keys.flatMap(a => rest.map(b => ({ a, b, relation: 'cannot' as const })))
  if (together)
    for (const [n, b] of keys.entries())
      if (n > 0) rules.push({ a: keys[n - 1] as string, b, relation: 'must' })
  const labels = (wanted: ReadonlySet<string>) =>
    cluster.labels.filter(({ key }) => wanted.has(key)).map(({ label }) => label)
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
  const lead = (said: SaidCluster) => (said === cluster ? (rest[0] as string) : leadOf(said))
  return {
    id: await idAfter(store, user_id, {
      subject: lead(narrative.subject),
      verb: lead(narrative.verb),
      object: lead(narrative.object),
    }),
    decision: decision.toHexString(),
  }
}

/** Takes a decision back. Throws 404 unless it is the user's, 409 if it is undone already. */
export const undoDecision = async (store: Store, userId: string, id: string): Promise<void> => {
  const { quotas, canonRules, canonDecisions } = store
  const user_id = new Types.ObjectId(userId)
  await quotas.settle(
    async (session, take) => {
      const mine = { _id: id, user_id }
      const decision = await canonDecisions
        .findOneAndUpdate({ ...mine, undone_at: null }, { $set: { undone_at: new Date() } }, { session })
        .lean<CanonDecisionDoc>()
      if (!decision)
        throw (await canonDecisions.exists(mine).session(session))
          ? conflict(DETAILS.decisionUndone)
          : notFound()
      await nextRevision(store, user_id, session)
      const { deletedCount } = await canonRules.deleteMany({ user_id, decision: decision._id }, { session })
      const rules = await rulesOf(store, user_id, session)
      // The last first: its clusters are those after the others.
      for (const { kind, before } of decision.changes.toReversed()) {
        if (!before) continue
        const known = new Set(before.flat())
        const now = await groupsWith(store, user_id, kind, [...known], session)
        // What has come since stays with what it came with, but for those whose clusters are known.
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
