import { KEY_SETTINGS, type KeySetting } from '@iodine/contracts'
import { Schema } from 'mongoose'

/** The use of a key that signs tokens or seals secrets. It never contains the key. */
export interface KeyUseDoc {
  /** Id of the key. */
  _id: string
  setting: KeySetting
  /** When a process last used the key as the first of its setting. Written every 10 minutes (`NOTE_MS`). */
  used_at: Date
  /** When a process first started without the key. Unset once the key is used again. */
  gone_at?: Date
}

const required = true
export const keyUseSchema = new Schema<KeyUseDoc>(
  {
    _id: { type: String, required },
    setting: { type: String, enum: KEY_SETTINGS, required },
    used_at: { type: Date, required },
    gone_at: Date,
  },
  { collection: 'key_uses', versionKey: false },
)
