import { createSingleFlight, type DocOf, defineSchema } from '@iodine/service-kit'
import type { Model } from 'mongoose'

export const counterSchema = defineSchema('counters', {
  _id: { type: String, required: true },
  value: { type: Number, required: true },
})
export type CounterDoc = DocOf<typeof counterSchema>

/** Numbers that a process reserves per write. */
const BLOCK = 1_000

/** Issues numbers from 1 on, unique in the deployment. */
export interface Numbers {
  /** Reserves `count` consecutive numbers, and resolves to the first. */
  take(count: number): Promise<number>
}

/**
 * Creates an issuer of numbers from a counter in the database. It reserves blocks, so that most calls write nothing. A
 * process that ends loses its unissued numbers.
 */
export const createNumbers = (counters: Model<CounterDoc>, name: string): Numbers => {
  let next = 1
  let end = 1
  const reserving = createSingleFlight<'block', void>()
  const reserve = async (size: number) => {
    const { value } = await counters
      .findOneAndUpdate({ _id: name }, { $inc: { value: size } }, { upsert: true, returnDocument: 'after' })
      .orFail()
      .lean()
    end = value + 1
    next = end - size
  }
  return {
    async take(count) {
      while (end - next < count) await reserving('block', () => reserve(Math.max(BLOCK, count)))
      next += count
      return next - count
    },
  }
}
