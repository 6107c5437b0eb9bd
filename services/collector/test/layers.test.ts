import { mergeRecords, observed, type TiktokRecord } from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { Types } from 'mongoose'
import { expect, it } from 'vitest'
import type { Layers, RecordForm } from '../src/records/models/record.js'
import {
  firstLayers,
  formOf,
  observationOf,
  withObservation,
  withoutImport,
} from '../src/records/policies/layers.js'

interface Step {
  /** Import of the observation; 0 for the collector. */
  from: number
  record: TiktokRecord
  isTimed: boolean
}
type Held = (RecordForm & { layers?: Layers | undefined }) | undefined

const ids = [1, 2, 3].map(() => new Types.ObjectId())

/** Returns a record after another observation, as the ingest stores it. */
const observe = (
  doc: Held,
  { record, isTimed }: Pick<Step, 'record' | 'isTimed'>,
  id?: Types.ObjectId,
): Held => {
  const incoming = id ? observed(record, isTimed) : { record }
  if (!doc) return { ...formOf(incoming), layers: firstLayers(id) }
  const { changed, ...merged } = mergeRecords(observationOf(doc), incoming)
  return { ...formOf(merged), layers: withObservation(doc, incoming, id, changed) }
}
const heldAfter = (steps: Step[]) =>
  steps.reduce<Held>(
    (held, step) => observe(held, step, step.from === 0 ? undefined : ids[step.from - 1]),
    undefined,
  )
const dataOf = (held: Held) => held && observationOf(held).record

/** Steps at distinct times: of equal observations the first one remains. */
const steps = fc
  .array(
    fc.record({
      from: fc.integer({ min: 0, max: 3 }),
      isTimed: fc.boolean(),
      text: fc.option(fc.constantFrom('a', 'b', ''), { nil: undefined }),
      plays: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map(all =>
    all.map(
      ({ from, isTimed, text, plays }, n): Step => ({
        from,
        isTimed,
        record: {
          collector_metadata: {
            fetch_timestamp: new Date(Date.UTC(2026, 10, 1, 0, n)).toISOString(),
            source: from === 0 ? 'tiktok' : `import:${from}`,
          },
          main: { video_id: '1', ...(text !== undefined && { description: text }) },
          ...(plays !== undefined && { stats: { play_count: plays } }),
        },
      }),
    ),
  )

it('a record without an import equals the record that never had it', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 3 }), (all, undone) => {
      const held = heldAfter(all)
      const id = ids[undone - 1] as Types.ObjectId
      const rest = held?.layers ? withoutImport(held, id) : held
      const others = all.filter(({ from }) => from !== undone)
      expect(dataOf(rest)).toEqual(dataOf(heldAfter(others)))
    }),
    propertyRuns(400),
  )
})

it('keeps at most 20 imports apart: the oldest become part of the record for good', () => {
  const step = (n: number) => ({
    isTimed: true,
    record: {
      collector_metadata: { fetch_timestamp: new Date(n).toISOString(), source: 'import:a' },
      main: { video_id: '1', description: String(n) },
    },
  })
  const many = Array.from({ length: 25 }, () => new Types.ObjectId())
  const held = many.reduce<Held>((doc, id, n) => observe(doc, step(n), id), undefined)
  expect(held?.layers?.imports.map(({ id }) => id)).toEqual(many.slice(5))
  const rest = many.slice(5).reduce<Held>((doc, id) => doc && withoutImport(doc, id), held)
  expect(dataOf(rest)).toMatchObject({ main: { description: '4' } })
  expect(rest?.layers).toBeUndefined()
})
