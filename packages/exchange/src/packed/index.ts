// What the other format can't say, packed: an entry of its own, for the service.
export { attributeObject, eventObjects } from './misp-in-stix.js'
export { toAttachments } from './stix-in-misp.js'
