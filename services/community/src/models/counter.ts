import type { Connection } from '@iodine/service-kit'
import { type Model, Schema } from 'mongoose'

/** Numbers kept rather than counted: `public_users`. */
export interface CounterDoc {
  _id: string
  n: number
}
export type CounterModel = Model<CounterDoc>

const schema = new Schema<CounterDoc>(
  { _id: { type: String, required: true }, n: { type: Number, required: true } },
  { collection: 'counters', versionKey: false },
)

export const createCounterModel = (mongo: Connection): CounterModel =>
  mongo.model<CounterDoc>('Counter', schema)
