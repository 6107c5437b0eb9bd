import { Schema } from 'mongoose'

/** Stored number of public users, which avoids counting them. */
export interface CounterDoc {
  _id: 'public_users'
  n: number
  /** Number of changes to public names. Writing it makes a transaction conflict with concurrent changes. */
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
