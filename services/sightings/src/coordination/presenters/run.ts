import type { CoordinationNetwork, CoordinationRun, Source } from '@iodine/contracts'
import type { EdgeDoc, RunDoc } from '../models/run.js'

export const presentRun = (doc: RunDoc): CoordinationRun => ({
  id: doc._id.toHexString(),
  state: doc.state,
  progress: doc.progress,
  kinds: doc.kinds,
  window_s: doc.window_s,
  min_participation: doc.min_participation,
  since: doc.since?.toISOString() ?? null,
  until: doc.until?.toISOString() ?? null,
  scope: doc.scope,
  about: doc.about ?? null,
  created_at: doc.created_at.toISOString(),
  expires_at: doc.expires_at.toISOString(),
  problem: doc.problem,
  totals: doc.totals,
  truncated: doc.truncated,
})

/** Parses an account key into source and name. */
export const accountIn = (key: string): { source: Source; account: string } => {
  const at = key.indexOf(' ')
  return { source: key.slice(0, at) as Source, account: key.slice(at + 1) }
}

export const presentNetwork = (
  edges: readonly Omit<EdgeDoc, 'pairs' | 'owners' | 'foreign'>[],
): CoordinationNetwork => {
  const pairs = new Map<string, number>()
  for (const { a, b, weight } of edges) {
    for (const account of [a, b]) pairs.set(account, (pairs.get(account) ?? 0) + weight)
  }
  return {
    nodes: [...pairs].map(([id, count]) => ({ id, ...accountIn(id), pairs: count })),
    edges: edges.map(({ a, b, weight, avg_delta_s, n_a, n_b, symmetry, significant, p_value, q_value }) => ({
      a,
      b,
      weight,
      avg_delta_s,
      n_a,
      n_b,
      symmetry,
      significant,
      p_value,
      q_value,
    })),
  }
}
