import { formatSpan } from '@iodine/mfe-kit'
import { describe, expect, it } from 'vitest'
import { analyzeFile, pairKey } from '../src/model/analyze-file'
import { CO_SHARE_KINDS, drawnCoShares } from '../src/model/co-shares'
import { EdgeListError, edgesCsv, readEdgeList } from '../src/model/edge-list'
import { toGexf } from '../src/model/export'
import { createNetwork } from '../src/model/network'

const HEADER = 'object_id,account_id,content_id,timestamp_share'

describe('an edge list', () => {
  it('is read by its column names, in any order, with quotes and a byte order mark', () => {
    const text =
      '\ufeffTimestamp_Share,extra,account_id,object_id,content_id\r\n1.5,x,"ana, ""A""",o1,c1\r\n-3,y,ben,o1,c2\r\n'
    expect(readEdgeList(text)).toEqual({
      shares: [
        { object: 'o1', account: 'ana, "A"', content: 'c1', at: 1.5 },
        { object: 'o1', account: 'ben', content: 'c2', at: -3 },
      ],
      rejected: 0,
    })
  })

  it('skips and counts incomplete rows', () => {
    const rows = [
      'o,a,c,',
      'o,a,c,soon',
      ',a,c,1',
      'o,,c,1',
      'o,a,,1',
      'o,a',
      'o,a,c,Infinity',
      '',
      'o,a,c,7',
    ]
    const { shares, rejected } = readEdgeList([HEADER, ...rows].join('\n'))
    expect(shares).toEqual([{ object: 'o', account: 'a', content: 'c', at: 7 }])
    expect(rejected).toBe(7)
  })

  it('is rejected if columns are missing', () => {
    expect(() => readEdgeList('')).toThrow(EdgeListError)
    expect(() => readEdgeList('object_id,account_id\n1,2')).toThrow(
      'The file has no column content_id, timestamp_share',
    )
  })
})

describe('the analysis of a file', () => {
  const shares = [1, 2, 3].flatMap(n => [
    `l${n},=ana(),a${n},${n * 1_000}`,
    `l${n},ben,b${n},${n * 1_000 + 4}`,
  ])
  const answer = analyzeFile({ text: [HEADER, ...shares].join('\n'), windowS: 10, minParticipation: 2 })
  const findings = 'findings' in answer ? answer.findings : expect.unreachable()

  it('finds accounts that share the same content, with the pairs as evidence', () => {
    expect(findings).toMatchObject({ shares: 6, rejected: 0, pairs: 3, accounts: 2, edges: 1 })
    expect(findings.coShares.edges).toMatchObject([{ a: '=ana()', b: 'ben', weight: 3, avg_delta_s: 4 }])
    expect(findings.evidence[pairKey('ben', '=ana()')]).toEqual([
      expect.objectContaining({ object: 'l1', contentA: 'a1', contentB: 'b1', deltaS: 4, atA: 1_000 }),
      expect.objectContaining({ object: 'l2', atA: 2_000 }),
      expect.objectContaining({ object: 'l3', atA: 3_000 }),
    ])
  })

  it('returns the problem of an invalid file', () => {
    expect(analyzeFile({ text: 'a\n1', windowS: 10, minParticipation: 2 })).toEqual({
      problem: 'The file has no column object_id, account_id, content_id, timestamp_share',
    })
  })

  it('is exported as CSV without formulas, and as an undirected GEXF', () => {
    expect(edgesCsv(findings.coShares.edges).split('\r\n')[1]).toMatch(/^'=ana\(\),ben,3,4,3,3,1,/)
    const network = createNetwork(drawnCoShares(findings.coShares, false), CO_SHARE_KINDS)
    const palette = {
      nodes: ['#000001', '#000002', '#000003'],
      links: ['#000004', '#000005'],
      selected: '#fff',
      text: '#000',
      ground: '#fff',
      font: 'x',
    }
    const text = toGexf(network, new Float32Array(4), palette)
    expect(text).toContain('defaultedgetype="undirected"')
    expect(text).toContain('source="=ana()" target="ben" weight="3"')
  })
})

it('draws only significant edges on request', () => {
  const edge = { avg_delta_s: 1, n_a: 1, n_b: 1, symmetry: 1 }
  const coShares = {
    nodes: ['a', 'b', 'c'].map(id => ({ id, label: id, type: 'telegram', pairs: 3 })),
    edges: [
      { a: 'a', b: 'b', weight: 9, significant: true, p_value: 0.01, q_value: 0.02, ...edge },
      { a: 'b', b: 'c', weight: 1, significant: false, p_value: null, q_value: null, ...edge },
    ],
  }
  const network = createNetwork(drawnCoShares(coShares, false), CO_SHARE_KINDS)
  expect([...network.shape.linkKinds]).toEqual([1, 0])
  expect([...network.shape.nodeKinds]).toEqual([1, 1, 1])
  expect(network.shape.directed).toBe(false)
  expect(drawnCoShares(coShares, true).nodes.map(({ id }) => id)).toEqual(['a', 'b'])
})

it('formats durations in suitable units', () => {
  expect([0, 12.34, 119, 150, 7_200].map(formatSpan)).toEqual(['0 s', '12.3 s', '119 s', '2.5 min', '2 h'])
})
