import { v5 } from 'uuid'

/** UUID namespace of Iodine's ids: an object has the same id in every export. */
const IODINE = '5d3f0a52-6f0b-5b0e-9a6e-2f4f6d1c7a10'
/** STIX 2.1, 2.9: namespace for the ids of observables, over their contributing properties. */
const STIX_OBSERVABLES = '00abedb4-aa42-466c-9c01-fed23315a9b7'

/** Returns the deterministic UUID of a name. */
export const idOf = (...name: string[]): string => v5(name.join(' '), IODINE)

/** Returns STIX's deterministic UUID of an observable with these properties, which must be sorted by name. */
export const observableId = (properties: object): string => v5(JSON.stringify(properties), STIX_OBSERVABLES)

/** Returns the id of a campaign's TAXII collection. */
export const collectionIdOf = (campaign: string): string => idOf('collection', campaign)
/** Id of the TAXII collection of all published campaigns. */
export const ALL_COLLECTION = idOf('collection', 'all')
