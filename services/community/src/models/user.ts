import { foldText } from '@iodine/contracts'
import { type DocOf, defineSchema, gramsOf } from '@iodine/service-kit'

/** Returns the fields that a search reads. */
export const searchFields = ({
  username,
  public: isPublic,
}: Pick<UserDoc, 'username' | 'public'>): Pick<UserDoc, 'search' | 'grams'> => {
  const search = isPublic && username !== null ? foldText(username) : ''
  return { search, grams: gramsOf([search]) }
}

const required = true
export const userSchema = defineSchema('users', {
  username: { type: String, default: null },
  /** Revision of the rename that set `username`; 0 for the name at the account's creation. */
  revision: { type: Number, required },
  /** Null until user.created has arrived. */
  created_at: { type: Date, default: null },
  deleted: { type: Boolean, required },
  /** The user has a username, is created and not deleted. Only public users are shown. */
  public: { type: Boolean, required },
  /** The folded name of a public user for searches; otherwise empty. Not read by default, like `grams`. */
  search: { type: String, default: '', select: false },
  /** The n-grams of `search`. */
  grams: { type: [Number], required, select: false },
  total_iods: { type: Number, required },
  total_narratives: { type: Number, required },
})
export type UserDoc = DocOf<typeof userSchema>
/** Order of lists. */
export const NEWEST_FIRST = { created_at: -1, _id: -1 } as const
/** Index of searches by a part of the name. */
export const BY_GRAM = { grams: 1, ...NEWEST_FIRST } as const
userSchema.index({ public: 1, ...NEWEST_FIRST })
userSchema.index(BY_GRAM)
