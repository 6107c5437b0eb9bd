import { Schema } from 'mongoose'

/** Numbers kept rather than counted: how many users are public. */
export interface CounterDoc {
  _id: 'public_users'
  n: number
  /** Changes of public names so far. Who writes it in a transaction knows that no name changes meanwhile. */
  changes: number
}

export const counterSchema = new Schema<CounterDoc>(
  {
    _id: { type: String, required: true },
    n: { type: Number, required: true },
    changes: { type: Number, required: true },
  },
  { collection: 'counters', versionKey: false },
)
