/**
 * Adding evidence beside creating an IOD: a quote of a sealed capture is checked by the collector service,
 * stored, and answered with its seal. Through the gateway, one at a time, in turns, as with `npm start`.
 *
 *   npm run bench -- evidence
 *   ROUNDS=100 CHARACTERS=1000000 npm run bench -- evidence
 */
import { evidenceApi, iodsApi } from '@iodine/contracts'
import { startProduct } from '@iodine/harness'
import { iodInput, sealCapture } from '@iodine/test-kit'
import { startBed } from './lib/bed.js'
import { count, ratio, table, timeInterleaved, whole } from './lib/measure.js'

const rounds = Number(process.env.ROUNDS ?? 50)
const warmUps = 5
/** Length of the captured text that is quoted. */
const characters = Number(process.env.CHARACTERS ?? 20_000)

const bed = await startBed(startProduct)
try {
  const { api } = await bed.signUp()
  const values = Array.from({ length: rounds + warmUps }, (_, n) => `Giant mirrors heat lake number ${n}`)
  const text = `${values.join('.\n')}.\n`.padEnd(characters, 'Nobody asks. ')
  const { id: capture_id } = await sealCapture(api.call, { text })

  const iods: string[] = []
  for (const value of values) iods.push((await api.call(iodsApi.createIod, { body: iodInput({ value }) })).id)
  const took = await timeInterleaved(
    rounds,
    {
      iod: () => api.call(iodsApi.createIod, { body: iodInput() }),
      evidence: round => {
        const exact = values[round] ?? ''
        const start = text.indexOf(`${exact}.`)
        const body = { capture_id, start, end: start + exact.length, exact }
        return api.call(evidenceApi.addEvidence, { params: { id: iods[round] ?? '' }, body })
      },
      list: round => api.call(evidenceApi.listEvidence, { params: { id: iods[round] ?? '' } }),
      counts: () => api.call(evidenceApi.countEvidence, { body: { ids: iods } }),
    },
    warmUps,
  )
  table(
    [`median, a text of ${whole(text.length)} characters`, 'ms', 'beside POST /iods'],
    [
      ['POST /iods', count(took.iod), ''],
      ['POST /iods/:id/evidence', count(took.evidence), ratio(took.evidence, took.iod)],
      ['GET /iods/:id/evidence', count(took.list), ratio(took.list, took.iod)],
      [`POST /iods/evidence/counts, of ${iods.length}`, count(took.counts), ratio(took.counts, took.iod)],
    ],
  )
} finally {
  await bed.stop()
}
