import type { Address, NoAddress } from '../text/addresses.js'

/** Returns whether a text is the address of a record. */
export const isAddressSource = (address: Address | NoAddress): address is Address => !('skipped' in address)
