import { KEY_SETTINGS, type KeySetting } from '@iodine/contracts'
import { Schema } from 'mongoose'

/** A key that signs tokens or seals secrets, or did. Never the key itself. */
export interface KeyUseDoc {
  /** Name of the key. */
  _id: string
  setting: KeySetting
  /** When a process last had it in the first place of the setting. Written every minute. */
  used_at: Date
  /** When a process first started without it. Unset once it is used again. */
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
