/**
 * Who shares the same objects, among a million shares: pairs and network beside a bare loop that groups, sorts and pairs,
 * and filters and bounds nothing; in turns. Then one object with 100,000 shares in a second.
 *
 *   npm run bench -- coordination
 */
import { detectGroups, detectPairs, network, type Share } from '@iodine/coordination'
import { ratio, table, timed, timeInterleaved, whole } from './lib/measure.js'

const count = Number(process.env.SHARES ?? 1_000_000)
const rounds = Number(process.env.ROUNDS ?? 5)
const WINDOW_S = 60
const ACCOUNTS = count / 20
const OBJECTS = count / 10

let state = 42
const random = (): number => {
  state = (state * 48_271) % 2_147_483_647
  return state / 2_147_483_647
}
/** Objects are shared at some hour each: some hundred times more often than others. */
const shares: Share[] = Array.from({ length: count }, (_, n) => {
  const object = Math.floor(OBJECTS * random() ** 3)
  return {
    object: `https://example.org/article/${object}`,
    account: `account-${Math.floor(ACCOUNTS * random())}`,
    content: `post-${n}`,
    at: 1_700_000_000 + object * 60 + Math.floor(36_000 * random()),
  }
})

const bareLoop = () => {
  const groups = new Map<string, Share[]>()
  for (const share of shares) {
    const others = groups.get(share.object)
    if (others) others.push(share)
    else groups.set(share.object, [share])
  }
  const pairs = []
  for (const group of groups.values()) {
    group.sort((a, b) => a.at - b.at)
    for (let n = 1; n < group.length; n++) {
      const newer = group[n] as Share
      for (let m = n - 1; m >= 0; m--) {
        const older = group[m] as Share
        if (newer.at - older.at > WINDOW_S) break
        if (older.account === newer.account) continue
        pairs.push({
          object: older.object,
          a: older.account,
          b: newer.account,
          contentA: older.content,
          contentB: newer.content,
          deltaS: newer.at - older.at,
        })
      }
    }
  }
  return pairs
}

const options = { windowS: WINDOW_S, minParticipation: 2 }
const { pairs, edges, loop } = await timeInterleaved(
  rounds,
  {
    loop: bareLoop,
    pairs: () => detectGroups(shares, options),
    edges: () => network(detectGroups(shares, options)),
  },
  1,
)
const found = detectGroups(shares, options)
table(
  [`${whole(count)} shares, ms`, 'bare loop', 'pairs', 'ratio', 'pairs and network', 'pairs found'],
  [
    [
      '',
      whole(Math.round(loop)),
      whole(Math.round(pairs)),
      ratio(pairs, loop),
      whole(Math.round(edges)),
      whole(found.length),
    ],
  ],
)

const burst = Array.from({ length: 100_000 }, (_, n) => ({
  object: 'one',
  account: `account-${n}`,
  content: `post-${n}`,
  at: 1_700_000_000 + random(),
}))
let bounded = detectPairs([], options)
const ms = await timed(() => {
  bounded = detectPairs(burst, { ...options, minParticipation: 1 })
})
table(
  ['one object, 100,000 shares in a second', 'ms', 'pairs', 'cut'],
  [['', whole(Math.round(ms)), whole(bounded.pairs.length), bounded.truncated.join()]],
)
