import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { id, time } from './primitives.js'
import { IMPORT_FORMATS, IMPORT_STATES, TLP_LEVELS } from './vocabulary.js'

const byId = z.strictObject({ id })
const tlp = z.enum(TLP_LEVELS)

/** A skipped piece of a file, or one that yields no IOD: its position, its value, truncated if long, and the reason. */
export const invalidPiece = z.strictObject({ place: z.string(), value: z.string(), reason: z.string() })
export const invalidPieces = z.array(invalidPiece).max(LIMITS.invalidListed)

const importedCounts = z.strictObject({ added: z.int(), known: z.int(), left_out: z.int() })

/** An import of a file into a campaign. */
export const campaignImport = z.strictObject({
  id,
  campaign_id: id,
  format: z.enum(IMPORT_FORMATS),
  state: z.enum(IMPORT_STATES),
  /** Reason of a failure or stop; null without one. */
  problem: z.string().nullable(),
  bytes: z.int(),
  objects: z.int(),
  /** Objects that the current step, planning or applying, has processed. */
  done: z.int(),
  /** Objects that represent an IOD, and those of them whose IOD existed before the import. */
  iods: z.int(),
  known_iods: z.int(),
  /** Known IODs that the campaign contained at the planning. */
  member_iods: z.int(),
  /** Objects that could be an IOD but are invalid as one. All others are stored without one. */
  refused: z.int(),
  /** Unreadable objects and events: they are skipped. */
  skipped: z.int(),
  /** The first of the skipped ones, then of the refused ones. */
  invalid: invalidPieces,
  /** Techniques of DISARM that it names. */
  techniques: z.int(),
  /**
   * The first of its techniques that the list of techniques lacks: their objects are stored, the campaign does not
   * receive them.
   */
  unknown_techniques: z.array(z.string()).max(LIMITS.unknownTechniques),
  /** Quotes of evidence in it, and unreadable ones. */
  quotes: z.int(),
  refused_quotes: z.int(),
  /** Outcome of the quotes so far. Omitted ones do not contain their IOD's value, or exceed a limit. */
  evidence: importedCounts,
  /** Comments on its IODs, and unreadable ones. */
  comments: z.int(),
  refused_comments: z.int(),
  /** Outcome of the comments so far. Omitted ones exceed the limit of an IOD. */
  discussion: importedCounts,
  /** The strictest level in the file; null if no object is marked. */
  tlp: tlp.nullable(),
  created_at: time,
})
export type CampaignImport = z.output<typeof campaignImport>

/** A campaign's imported objects of other tools' files. */
export const keptObjects = z.strictObject({
  objects: z.int(),
  bytes: z.int(),
  /** Objects omitted from exports, as their IOD was removed from the campaign. */
  withheld: z.int(),
  types: z.array(z.strictObject({ type: z.string(), objects: z.int() })),
  imports: z.array(
    z.strictObject({
      id,
      user_id: id.nullable(),
      username: z.string().nullable(),
      created_at: time,
      objects: z.int(),
      /** Whether the caller may remove it. */
      removable: z.boolean(),
    }),
  ),
})
export type ImportedObjects = z.output<typeof keptObjects>

export const importsApi = {
  createImport: endpoint('user', 'POST /campaigns/imports', {
    scopes: ['contribute'],
    summary:
      'Send a file for a campaign: STIX or MISP of any tool, or JSON or CSV of Iodine. The import is planned without a change to the campaign; the plan expires after a day. 422 for an unreadable file, 413 above the limits',
    query: z.strictObject({ campaign_id: id, format: z.enum(IMPORT_FORMATS) }),
    raw: true,
    bodyLimit: LIMITS.importBytes,
    response: byId,
    status: 202,
  }),
  getImport: endpoint('user', 'GET /campaigns/imports/:id', {
    scopes: ['read', 'contribute'],
    summary: "The caller's import: its plan and progress",
    params: byId,
    response: campaignImport,
  }),
  applyImport: endpoint('user', 'POST /campaigns/imports/:id/apply', {
    scopes: ['contribute'],
    summary:
      'Apply a plan, or resume an import that stopped; 409 unless it is planned or has stopped. Without `iods`, all objects are imported and no IODs are created',
    params: byId,
    body: z.strictObject({ iods: z.boolean().default(true) }),
    response: campaignImport,
    status: 202,
  }),
  deleteImport: endpoint('user', 'DELETE /campaigns/imports/:id', {
    summary:
      'Discard a plan, or remove the objects of an import (its owner, or the creator of the campaign). Their IODs stay',
    params: byId,
    response: byId,
  }),
  getKept: endpoint('user', 'GET /campaigns/:id/kept', {
    scopes: ['read'],
    summary: 'The imported objects of a campaign, as its STIX exports contain them',
    params: byId,
    response: keptObjects,
  }),
} as const
