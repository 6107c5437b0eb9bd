import type { Types } from 'mongoose'

/** What a user has a limited number of. A unique index of both fields holds the limit also for requests at once. */
export interface Slotted {
  user_id: Types.ObjectId
  /** From 0: a user has as many as there are slots. */
  slot: number
}
