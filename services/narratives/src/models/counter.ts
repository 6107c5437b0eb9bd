import { type Model, Schema } from 'mongoose'

export interface CounterDoc {
  _id: string
  value: number
}

export const counterSchema = new Schema<CounterDoc>(
  { _id: { type: String, required: true }, value: { type: Number, required: true } },
  { collection: 'counters', versionKey: false, id: false },
)

/** Reserves `count` consecutive numbers, each issued once, and returns the first. Numbers start at 1. */
export const takeNumbers = async (
  counters: Model<CounterDoc>,
  name: string,
  count: number,
): Promise<number> => {
  const { value } = await counters
    .findOneAndUpdate({ _id: name }, { $inc: { value: count } }, { upsert: true, returnDocument: 'after' })
    .orFail()
    .lean<CounterDoc>()
  return value - count + 1
}
