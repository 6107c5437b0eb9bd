import { type Constraints, constraintsOf, type Rule, type RuleKind, RulesConflict } from '@iodine/canon'
import { type CanonKind, DETAILS, LIMITS } from '@iodine/contracts'
import { conflict, invalid } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import type { Store } from '../../store.js'
import type { CanonDecisionDoc, CanonRuleDoc, DecisionChange, LabelRuleDoc } from '../models/canon.js'
import { arrange } from '../policies/arrange.js'
import { presentConflict } from '../presenters/canonical.js'
import { groupOf, stampOf } from '../queries/canon-map.js'
import { labelRules } from '../queries/label-rules.js'
import { narrativeIdOf } from '../queries/narrative-view.js'
import { enqueueClustering } from './mark-canon.js'
import { groupsWith, storeGroups } from './rearrange-clusters.js'

/** Maximum number of keys in the clusters that a decision stores for an immediate undo. */
const BEFORE_MAX = 2_000

/** Changes of a decision for one kind: its rules and clusters. */
export interface PlannedChange {
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

/** Increments the revision, so that clusters from earlier decisions are not stored. Serializes a user's decisions. */
export const nextRevision = async (store: Store, _id: Types.ObjectId, session: ClientSession) => {
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
export const storeDecision = async (
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
export const inOrder = (a: string, b: string) => (a < b ? { a, b } : { a: b, b: a })

/**
 * Stores a decision about labels with its rules and the resulting clusters.
 * @throws HttpError 409 with the names of contradicting rules, 422 for too many rules, or as `storeDecision`
 */
export const decide = (
  store: Store,
  user_id: Types.ObjectId,
  action: CanonDecisionDoc['action'],
  planned: readonly PlannedChange[],
): Promise<Types.ObjectId> =>
  storeDecision(store, user_id, action, async session => {
    const existing = await labelRules(store, user_id, session)
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

/** Returns the id of a narrative after a decision, by keys of its subject, verb and object. */
export const idAfter = async (
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
