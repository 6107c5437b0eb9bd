import { email } from '@iodine/contracts'
import { ignoreDuplicateKey, type Migration } from '@iodine/service-kit'

const NOT_ASCII = /[^\x20-\x7e]/
const spell = (address: string): string => email.safeParse(address).data ?? address

/** Fields with addresses, by collection. */
const FIELDS = {
  users: ['email'],
  beta_codes: ['email', 'used_by'],
  address_changes: ['old_email', 'new_email'],
} as const

/**
 * Stores addresses in one spelling: composed, with domains in ASCII. Of several accounts of one address the one that was
 * used last gets it, unless another has it; the others stay under their spellings. Open sign-in links go, which name
 * addresses by their ids.
 */
export const oneSpellingOfAddresses: Migration = {
  name: '0002-one-spelling-of-addresses',
  async up(mongo) {
    for (const [name, fields] of Object.entries(FIELDS))
      for (const field of fields) {
        const collection = mongo.collection(name)
        const others = collection.find({ [field]: NOT_ASCII }).sort({ last_active_at: -1 })
        for (const doc of await others.toArray())
          await collection
            .updateOne({ _id: doc._id }, { $set: { [field]: spell(doc[field]) } })
            .catch(ignoreDuplicateKey)
      }
    await mongo.collection<{ _id: string }>('magic_links').deleteMany({ _id: NOT_ASCII })
  },
}
