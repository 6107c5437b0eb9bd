import type { AddressChange } from '@iodine/contracts'
import type { AddressChangeDoc } from '../models/address-change.js'
import { presentEmail } from './email.js'

export const presentAddressChange = (change: AddressChangeDoc): AddressChange => ({
  new_email: presentEmail(change.new_email),
  old_confirmed: change.old_confirmed_at !== null,
  new_confirmed: change.new_confirmed_at !== null,
  expires_at: change.expires_at.toISOString(),
})
