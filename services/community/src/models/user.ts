import { Schema, type Types } from 'mongoose'

export interface UserDoc {
  _id: Types.ObjectId
  username: string | null
  /** Revision of the rename that set `username`; 0 is the name at the account's creation. */
  revision: number
  /** Null until user.created has arrived. */
  created_at: Date | null
  deleted: boolean
  /** The user has a username, is created and not deleted. Only public users are shown. */
  public: boolean
  /** Suffixes of a public user's folded name, which turn substring into prefix search. Otherwise empty. */
  suffixes: string[]
  total_iods: number
  total_narratives: number
}

const required = true
export const userSchema = new Schema<UserDoc>(
  {
    username: { type: String, default: null },
    revision: { type: Number, required },
    created_at: { type: Date, default: null },
    deleted: { type: Boolean, required },
    public: { type: Boolean, required },
    suffixes: { type: [String] },
    total_iods: { type: Number, required },
    total_narratives: { type: Number, required },
  },
  { collection: 'users', versionKey: false },
)
/** Indexes for lists, newest first, and for searches by a part of the name. */
export const BY_DATE = { public: 1, created_at: -1, _id: -1 } as const
export const BY_SUFFIX = { suffixes: 1 } as const
userSchema.index(BY_DATE)
userSchema.index(BY_SUFFIX)
