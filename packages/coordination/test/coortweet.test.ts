import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { detectGroups, type Edge, heaviest, network, type Share } from '../src/index.js'

/**
 * Output folder of `scripts/coortweet.R`. Without it these tests are skipped: the repository lacks CooRTweet's data.
 */
const folder = process.env.COORTWEET

const rows = (file: string): Record<string, string>[] => {
  const [header = '', ...lines] = readFileSync(join(folder as string, file), 'utf8')
    .trimEnd()
    .split('\n')
  const names = header.split(',')
  return lines.map(line => Object.fromEntries(line.split(',').map((cell, n) => [names[n], cell])))
}
const runs = folder
  ? readdirSync(folder)
      .filter(file => file.endsWith('.pairs.csv'))
      .map(file => file.replace('.pairs.csv', ''))
  : []

const rounded = (value: number | string) => Number(value).toFixed(6)
/** Returns an edge as text, with its accounts sorted. */
const edgeText = (edge: Record<keyof Edge, number | string>) =>
  [
    [edge.a, edge.b].sort().join(' '),
    edge.weight,
    rounded(edge.avgDeltaS),
    edge.nA,
    edge.nB,
    rounded(edge.symmetry),
  ].join(' ')

describe.skipIf(!folder)('the examples of CooRTweet', () => {
  it('exist', () => expect(runs.length).toBeGreaterThan(8))

  it.each(runs)('yield the same pairs, accounts and edges: %s', run => {
    const [name = '', windowS, minParticipation, loops] = run.split('.')
    const shares: Share[] = rows(`${name}.shares.csv`).map(row => ({
      object: row.object_id as string,
      account: row.account_id as string,
      content: row.content_id as string,
      at: Number(row.timestamp_share),
    }))
    const pairs = detectGroups(shares, {
      windowS: Number(windowS),
      minParticipation: Number(minParticipation),
      loops: loops === 'loops',
    })
    expect(
      pairs
        .map(pair => [pair.object, pair.a, pair.b, pair.contentA, pair.contentB, pair.deltaS].join(' '))
        .sort(),
    ).toEqual(
      rows(`${run}.pairs.csv`)
        .map(row =>
          [
            row.object_id,
            row.account_id,
            row.account_id_y,
            row.content_id,
            row.content_id_y,
            Number(row.time_delta),
          ].join(' '),
        )
        .sort(),
    )
    const edges = network(pairs)
    const expectedEdges = rows(`${run}.edges.csv`)
    expect(edges.map(edgeText).sort()).toEqual(
      expectedEdges
        .map(row =>
          edgeText({
            a: row.from as string,
            b: row.to as string,
            weight: row.weight as string,
            avgDeltaS: row.avg_time_delta as string,
            nA: row.n_content_id as string,
            nB: row.n_content_id_y as string,
            symmetry: row.edge_symmetry_score as string,
          }),
        )
        .sort(),
    )
    const nodes = (some: readonly string[]) => [...new Set(some)].sort()
    expect(nodes(edges.flatMap(({ a, b }) => [a, b]))).toEqual(
      nodes(expectedEdges.flatMap(({ from, to }) => [from as string, to as string])),
    )
    expect(
      heaviest(edges, 0.5)
        .map(({ a, b }) => [a, b].sort().join(' '))
        .sort(),
    ).toEqual(
      expectedEdges
        .filter(row => row.weight_threshold === '1')
        .map(({ from, to }) => [from, to].sort().join(' '))
        .sort(),
    )
  })
})
