import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { id, time } from './primitives.js'
import { IMPORT_FORMATS, IMPORT_STATES, TLP_LEVELS } from './vocabulary.js'

const byId = z.strictObject({ id })
const tlp = z.enum(TLP_LEVELS)

/** A piece of a file that is left out, or that no IOD can be made of: where it is, its value, cut off where it is long, and why. */
export const invalidPiece = z.strictObject({ place: z.string(), value: z.string(), reason: z.string() })
export const invalidPieces = z.array(invalidPiece).max(LIMITS.invalidListed)

/** A file that goes into a campaign. */
export const campaignImport = z.strictObject({
  id,
  campaign_id: id,
  format: z.enum(IMPORT_FORMATS),
  state: z.enum(IMPORT_STATES),
  /** Why it failed, or stopped. */
  problem: z.string().nullable(),
  bytes: z.int(),
  objects: z.int(),
  /** Objects that the present step, planning or applying, is through with. */
  done: z.int(),
  /** Objects that stand for an IOD, and those of these whose IOD the product has before the import. */
  iods: z.int(),
  known_iods: z.int(),
  /** Those of the known ones that the campaign had when it was planned. */
  member_iods: z.int(),
  /** Objects that could be an IOD, but that none can be made of. All others are kept without one. */
  refused: z.int(),
  /** Objects and events that can't be read: they are left out. */
  skipped: z.int(),
  /** The first of the skipped ones, then of the refused ones. */
  invalid: invalidPieces,
  /** Techniques of DISARM that it names. */
  techniques: z.int(),
  /** The first of those that it names and the list of techniques lacks: the objects are kept, the campaign does not get them. */
  unknown_techniques: z.array(z.string()).max(LIMITS.unknownTechniques),
  /** Quotes of evidence in it, and those that can't be read. */
  quotes: z.int(),
  refused_quotes: z.int(),
  /** What became of the quotes so far: those left out do not say their IOD's value, or found no room. */
  evidence: z.strictObject({ added: z.int(), known: z.int(), left_out: z.int() }),
  /** The strictest level in the file; null: nothing is marked. */
  tlp: tlp.nullable(),
  created_at: time,
})
export type CampaignImport = z.output<typeof campaignImport>

/** What a campaign keeps of other tools' files. */
export const keptObjects = z.strictObject({
  objects: z.int(),
  bytes: z.int(),
  /** Objects that are in no export, as their IOD was taken out of the campaign. */
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
export type KeptObjects = z.output<typeof keptObjects>

export const importsApi = {
  createImport: endpoint('user', 'POST /campaigns/imports', {
    scopes: ['contribute'],
    summary:
      'Hand in a file for a campaign: STIX or MISP of any tool, or JSON or CSV of Iodine. It is planned, which changes nothing, and the plan is there for a day. 422 for what is none, 413 above the limits',
    query: z.strictObject({ campaign_id: id, format: z.enum(IMPORT_FORMATS) }),
    raw: true,
    bodyLimit: LIMITS.importBytes,
    response: byId,
    status: 202,
  }),
  getImport: endpoint('user', 'GET /campaigns/imports/:id', {
    scopes: ['read', 'contribute'],
    summary: "The caller's import: its plan, and how far it is",
    params: byId,
    response: campaignImport,
  }),
  applyImport: endpoint('user', 'POST /campaigns/imports/:id/apply', {
    scopes: ['contribute'],
    summary:
      'Carry a plan out, or go on with an import that stopped; 409 unless it is planned or has stopped. Without `iods` all objects are kept and no IODs are made',
    params: byId,
    body: z.strictObject({ iods: z.boolean().default(true) }),
    response: campaignImport,
    status: 202,
  }),
  deleteImport: endpoint('user', 'DELETE /campaigns/imports/:id', {
    summary:
      'Discard a plan, or remove the objects that came by an import (who imported them, or the creator of the campaign). Their IODs stay',
    params: byId,
    response: byId,
  }),
  getKept: endpoint('user', 'GET /campaigns/:id/kept', {
    scopes: ['read'],
    summary: 'What a campaign keeps of files of other tools, as its exports in STIX give it back',
    params: byId,
    response: keptObjects,
  }),
} as const
