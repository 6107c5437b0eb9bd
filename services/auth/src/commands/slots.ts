import { isDuplicateKey } from '@iodine/service-kit'
import type { Model } from 'mongoose'
import type { Slotted } from '../models/slotted.js'

/**
 * Stores a document in a free one of its user's `max` slots.
 * @param known called when the document, or a field of it, is there already: throws what that means
 * @returns the document, undefined if no slot is free
 */
export const insertInSlot = async <T extends Slotted>(
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
