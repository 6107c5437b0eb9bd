/**
 * Cost of the existence check that campaigns sends to the iods service when an IOD with fifty votes is added,
 * against reading the IOD with its votes and voters' names; in turns.
 *
 *   npm run bench -- known-iods
 */
import { iodsApi, iodsInternal } from '@iodine/contracts'
import { startTestStack } from '@iodine/harness'
import { iodInput, NO_LIMITS } from '@iodine/test-kit'
import { atOnce, table, timeInterleaved } from './lib/measure.js'

const VOTES = 50
const CALLS = 400
const rounds = Number(process.env.ROUNDS ?? 9)

const stack = await startTestStack({ env: NO_LIMITS })
try {
  const creator = await stack.signUp()
  const { id } = await creator.api.call(iodsApi.createIod, { body: iodInput() })
  await atOnce(VOTES, 4, async () => {
    const { api } = await stack.signUp()
    await api.call(iodsApi.voteIod, { params: { id }, body: { vote_type: 'POSITIVE' } })
  })
  const body = { ids: [id] }
  const sides = {
    whole: () => atOnce(CALLS, 8, () => stack.peers.call('iods', iodsInternal.getIods, { body })),
    known: () => atOnce(CALLS, 8, () => stack.peers.call('iods', iodsInternal.knownIods, { body })),
  }
  const { whole, known } = await timeInterleaved(rounds, sides, 1)
  table(
    ['ms a call', 'before: the whole IOD', 'now: whether it is there', 'ratio'],
    [
      [
        'an IOD with 50 votes',
        (whole / CALLS).toFixed(2),
        (known / CALLS).toFixed(2),
        (whole / known).toFixed(1),
      ],
    ],
  )
} finally {
  await stack.stop()
}
