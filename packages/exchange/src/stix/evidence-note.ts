import { type Evidence, isHttpUrl } from '@iodine/contracts'
import { UNKNOWN_AUTHOR } from '../comments.js'
import { idOf } from '../ids.js'
import { AUTHOR, createObject, SINCE, type StixObject } from './object.js'
import { toUri } from './uri.js'

/**
 * Iodine's extension of notes: the position of a quote and the seal of its capture, in the property `evidence`.
 * Documented in docs/campaigns.md.
 */
export const EVIDENCE_EXTENSION: StixObject = {
  type: 'extension-definition',
  spec_version: '2.1',
  id: `extension-definition--${idOf('extension', 'evidence')}`,
  created: SINCE,
  modified: SINCE,
  created_by_ref: AUTHOR.id,
  name: 'Evidence of an indicator',
  description: 'A note whose content quotes a page, a record or a text word for word.',
  schema:
    'evidence: {kind, relation, role, pointer, start, end, prefix, suffix, url, captured_at, seal}. start and end are UTF-16 offsets ' +
    'into the text that role and pointer (RFC 6901) name; prefix and suffix stand around them. seal: {seq, manifest_hash, received_at, salt}, ' +
    'the preimage of a leaf of a log by RFC 9162, SHA-256 of 0x00 and the canonical JSON (RFC 8785) of the last three. What does not apply is left out.',
  version: '1.0.0',
  extension_types: ['property-extension'],
}

/** Removes null properties: STIX has no null. */
const withoutNulls = (properties: object) =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null))

/** Converts evidence to a note with Iodine's extension. */
export const evidenceNote = (evidence: Evidence, about: { object_refs: string[] }): StixObject => {
  const { kind, relation, role, pointer, start, end, prefix, suffix, url, captured_at, seal } = evidence
  return createObject('note', ['evidence', evidence.id], evidence.created_at, {
    abstract: 'Evidence, word for word',
    content: evidence.exact,
    authors: [evidence.created_by_username ?? UNKNOWN_AUTHOR],
    ...about,
    ...(url !== null &&
      isHttpUrl(url) && { external_references: [{ source_name: 'quoted page', url: toUri(url) }] }),
    extensions: {
      [EVIDENCE_EXTENSION.id]: {
        extension_type: 'property-extension',
        evidence: withoutNulls({
          kind,
          relation,
          role,
          pointer,
          start,
          end,
          prefix,
          suffix,
          url,
          captured_at,
          seal,
        }),
      },
    },
  })
}
