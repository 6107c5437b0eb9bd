// Content that the other format cannot express, embedded: a separate entry point, for the service.
export { attributeObject, eventObjects } from './misp-in-stix.js'
export { toAttachments } from './stix-in-misp.js'
