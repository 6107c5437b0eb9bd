import { foldText } from '@iodine/contracts'
import { gramsOf } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'

export interface UserDoc {
  _id: Types.ObjectId
  username: string | null
  /** Revision of the rename that set `username`; 0 for the name at the account's creation. */
  revision: number
  /** Null until user.created has arrived. */
  created_at: Date | null
  deleted: boolean
  /** The user has a username, is created and not deleted. Only public users are shown. */
  public: boolean
  /** The folded name of a public user for searches; otherwise empty. Not read by default, like `grams`. */
  search: string
  /** The n-grams of `search`. */
  grams: number[]
  total_iods: number
  total_narratives: number
}

/** Returns the fields that a search reads. */
export const searchFields = ({
  username,
  public: isPublic,
}: Pick<UserDoc, 'username' | 'public'>): Pick<UserDoc, 'search' | 'grams'> => {
  const search = isPublic && username !== null ? foldText(username) : ''
  return { search, grams: gramsOf([search]) }
}

const required = true
export const userSchema = new Schema<UserDoc>(
  {
    username: { type: String, default: null },
    revision: { type: Number, required },
    created_at: { type: Date, default: null },
    deleted: { type: Boolean, required },
    public: { type: Boolean, required },
    search: { type: String, select: false },
    grams: { type: [Number], select: false },
    total_iods: { type: Number, required },
    total_narratives: { type: Number, required },
  },
  { collection: 'users', versionKey: false },
)
/** Order of lists. */
export const NEWEST_FIRST = { created_at: -1, _id: -1 } as const
/** Index of searches by a part of the name. */
export const BY_GRAM = { grams: 1, ...NEWEST_FIRST } as const
userSchema.index({ public: 1, ...NEWEST_FIRST })
userSchema.index(BY_GRAM)
