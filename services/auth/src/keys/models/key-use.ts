import { KEY_SETTINGS } from '@iodine/contracts'
import { type DocOf, defineSchema } from '@iodine/service-kit'

const required = true
export const keyUseSchema = defineSchema('key_uses', {
  /** Id of the key. */
  _id: { type: String, required },
  setting: { type: String, enum: KEY_SETTINGS, required },
  /** When a process last used the key as the first of its setting. Written every 10 minutes (`NOTE_MS`). */
  used_at: { type: Date, required },
  /** When a process first started without the key. Unset once the key is used again. */
  gone_at: Date,
})
/** The use of a key that signs tokens or seals secrets. It never contains the key. */
export type KeyUseDoc = DocOf<typeof keyUseSchema>
