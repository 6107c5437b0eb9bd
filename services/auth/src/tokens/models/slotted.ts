import type { Types } from 'mongoose'

/** A document of which a user has a limited number. A unique index of both fields enforces the limit. */
export interface Slotted {
  user_id: Types.ObjectId
  /** Index of the slot, from 0. */
  slot: number
}
