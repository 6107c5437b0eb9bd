import { foldIod } from '@iodine/contracts'
import { hashOf } from '@iodine/service-kit'
import { v5 } from 'uuid'

/** UUID namespace of IODs. */
const IODS = 'b7c1a9de-3c0e-5f0a-8a52-0f7a1d1e6c43'

/** Returns the UUID of an IOD in STIX and MISP files: in all deployments the same for its category and folded value. */
export const iodUid = (iod: Parameters<typeof foldIod>[0]): string =>
  v5(`${iod.category} ${foldIod(iod)}`, IODS)

/** Returns the lookup key of an IOD: a hash, as a value may exceed the size limit of an index key. */
export const foldKey = (iod: Parameters<typeof foldIod>[0]): string => hashOf(foldIod(iod))
