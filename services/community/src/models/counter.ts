import { type DocOf, defineSchema, typed } from '@iodine/service-kit'

export const counterSchema = defineSchema('counters', {
  _id: { type: typed<'public_users'>(String), required: true },
  n: { type: Number, required: true },
  /** Number of changes to public names. Writing it makes a transaction conflict with concurrent changes. */
  changes: { type: Number, required: true },
})
/** Stored number of public users, which avoids counting them. */
export type CounterDoc = DocOf<typeof counterSchema>
