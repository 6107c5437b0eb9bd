import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { canonicalize, keyOf } from '../src/index.js'
import { clusteringF1, type LabelledPart, labelledTriplets } from './clustering.js'

const labelled = labelledTriplets(readFileSync(new URL('cases/in-domain.txt', import.meta.url), 'utf8'))
const { entities, verbs } = canonicalize(
  labelled.map(({ subject, verb, object }) => ({
    subject: subject.label,
    verb: verb.label,
    object: object.label,
  })),
)

it.each<[string, LabelledPart[], string[][]]>([
  ['entities', labelled.flatMap(({ subject, object }) => [subject, object]), entities],
  ['verbs', labelled.map(({ verb }) => verb), verbs],
])('clusters the %s of the domain with F1 above 0.94, equal strings below 0.6', (_, mentions, clusters) => {
  const clusterOf = new Map(clusters.flatMap((cluster, n) => cluster.map(label => [label, `${n}`])))
  const means = new Map(mentions.map((mention, n) => [`${n}`, new Set([mention.means])]))
  const f1 = (assigned: (label: string) => string) =>
    clusteringF1(new Map(mentions.map(({ label }, n) => [`${n}`, assigned(label)])), means).mean
  expect(f1(label => clusterOf.get(label) ?? '')).toBeGreaterThan(0.94)
  expect(f1(keyOf)).toBeLessThan(0.6)
})

it('computes F1 as the published method does', () => {
  // Clusters {a, b, c} and {d}; labelled {a, b} and {c, d}.
  const found = new Map(Object.entries({ a: '1', b: '1', c: '1', d: '2' }))
  const means = new Map(Object.entries({ a: 'x', b: 'x', c: 'y', d: 'y' }).map(([k, v]) => [k, new Set([v])]))
  const { macro, micro, pair } = clusteringF1(found, means)
  expect(macro).toBeCloseTo(1 / 2)
  expect(micro).toBeCloseTo(3 / 4)
  // Of three found pairs and two labelled pairs, one is common.
  expect(pair).toBeCloseTo((2 * (1 / 3) * (1 / 2)) / (1 / 3 + 1 / 2))
})
