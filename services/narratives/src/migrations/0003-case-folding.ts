import { foldLabel } from '@iodine/contracts'
import { type Migration, NOT_PLAIN, rewriteEach } from '@iodine/service-kit'
import type { CanonDecisionDoc, CanonDoc, CanonRuleDoc, Changed } from '../models/canon.js'
import { type EdgeDoc, gramsOfEdge } from '../models/edge.js'
import { graphKeysOf, type NarrativeDoc } from '../models/narrative.js'
import type { SummedDoc } from '../models/sum.js'

const PARTS = ['subject', 'verb', 'object'] as const

/** A decision with the keys of its clusters folded; what the user saw stays. */
const foldBefore = ({ before, ...change }: Changed): Changed => ({
  ...change,
  ...(before && { before: before.map(keys => [...new Set(keys.map(foldLabel))]) }),
})

/**
 * Gives the graph, its narratives and the decisions on labels the keys of Unicode's case folding, without invisible
 * characters. Sums and clusters with labels that changed are built again by the repair.
 */
export const caseFolding: Migration = {
  name: '0003-case-folding',
  async up(mongo) {
    const has = (field: string) => ({ $or: PARTS.map(part => ({ [`${field}${part}`]: NOT_PLAIN })) })
    await rewriteEach<NarrativeDoc>(
      mongo,
      'narratives',
      has('triplets.'),
      ['triplets', 'node_keys', 'link_keys'],
      doc => {
        const keys = graphKeysOf(doc.triplets)
        const { node_keys, link_keys } = doc
        return JSON.stringify({ link_keys, node_keys }) === JSON.stringify(keys) ? [] : [{ $set: keys }]
      },
    )
    await rewriteEach<EdgeDoc>(
      mongo,
      'edges',
      has(''),
      [...PARTS, 'subject_key', 'verb_key', 'object_key'],
      doc => {
        const keys = {
          subject_key: foldLabel(doc.subject),
          verb_key: foldLabel(doc.verb),
          object_key: foldLabel(doc.object),
        }
        if (PARTS.every(part => keys[`${part}_key`] === doc[`${part}_key`])) return []
        return [{ $set: { ...keys, grams: gramsOfEdge(keys) } }]
      },
    )
    await rewriteEach<CanonRuleDoc>(
      mongo,
      'canon_rules',
      { $or: [{ a: NOT_PLAIN }, { b: NOT_PLAIN }] },
      ['a', 'b'],
      rule => {
        const [a, b] = [foldLabel(rule.a), foldLabel(rule.b)]
        if (a === rule.a && b === rule.b) return []
        return [{ $set: { a, b } }]
      },
    )
    // A rule of one label with itself says nothing, or what cannot be.
    await mongo.collection<CanonRuleDoc>('canon_rules').deleteMany({ $expr: { $eq: ['$a', '$b'] } })
    await rewriteEach<CanonDecisionDoc>(mongo, 'canon_decisions', {}, ['changes'], ({ changes }) => {
      const folded = changes.map(foldBefore)
      return JSON.stringify(folded) === JSON.stringify(changes) ? [] : [{ $set: { changes: folded } }]
    })
    // All with such labels, also those that an interrupted run has changed.
    const users = await mongo.collection<EdgeDoc>('edges').distinct('user_id', has(''))
    const all = { _id: { $in: users } }
    await mongo
      .collection<SummedDoc>('summed')
      .updateMany(all, { $set: { graph: null, folded_at: new Date() }, $unset: { building: 1, lease: 1 } })
    await mongo
      .collection<CanonDoc>('canon')
      .updateMany(all, { $inc: { revision: 1, texts: 1 }, $set: { check_at: new Date() } })
  },
}
