import { HttpError, isDuplicateKey, unauthenticated } from '@iodine/service-kit'
import type { Model } from 'mongoose'
import type { AuthContext } from '../../context.js'
import { useAccount } from '../../sessions/commands/sessions.js'
import type { Slotted } from '../models/slotted.js'

/**
 * Stores a document in a free one of its user's `max` slots.
 * @param known called on a duplicate key; throws if the document exists already
 * @returns the document; undefined if no slot is free
 */
const insertInSlot = async <T extends Slotted>(
  model: Model<T>,
  max: number,
  doc: Omit<T, 'slot'>,
  known?: () => Promise<void>,
): Promise<T | undefined> => {
  const { user_id } = doc as Pick<T, 'user_id'>
  const taken: unknown[] = await model.distinct('slot', { user_id } as object)
  for (let slot = 0; slot < max; slot++) {
    if (taken.includes(slot)) continue
    const stored = { ...doc, slot } as unknown as T
    try {
      await new model(stored).save()
      return stored
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
      await known?.()
      // Another request took the slot.
    }
  }
  return undefined
}

/**
 * Stores a document of which a user may have `max`, each in a slot. Throws 413 with `full` if no slot is free, 401 for
 * a closed account.
 * @param known as for `insertInSlot`
 */
export const addToAccount = async <T extends Slotted>(
  context: AuthContext,
  model: Model<T>,
  { max, full }: { max: number; full: string },
  doc: Omit<T, 'slot'>,
  known?: () => Promise<void>,
): Promise<T> => {
  const stored = await insertInSlot(model, max, doc, known)
  if (!stored) throw new HttpError(413, full)
  // Checked after the insert: an account closed before is detected here; closing it later removes this with the rest.
  if (await useAccount(context, stored.user_id)) return stored
  await model.deleteOne({ _id: stored._id })
  throw unauthenticated()
}
