import { defineSchema, typed } from '@iodine/service-kit'

/** Stored number of public users, which avoids counting them. */
export const counterSchema = defineSchema('counters', {
  _id: { type: typed<'public_users'>(String), required: true },
  n: { type: Number, required: true },
  /** Number of changes to public names. Writing it makes a transaction conflict with concurrent changes. */
  changes: { type: Number, required: true },
})
