import { createHash } from 'node:crypto'
import { type CampaignDetail, highestTlp, LIMITS, rankOfTlp, type Tlp } from '@iodine/contracts'
import {
  type ExportContext,
  isRevocable,
  type MispEvent,
  type StixObject,
  tlpOfMarkingId,
  toMispEvent,
  toStixBundle,
} from '@iodine/exchange'
import type { Peers, UserDirectory } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import { BY_FILE, type ForeignDoc } from '../models/foreign.js'
import type { CampaignModels } from '../models/index.js'
import { presentCampaigns } from '../presenters/campaign.js'
import { withoutKept } from '../presenters/stix-file.js'
import { fetchIods, findCampaign } from './campaign-detail.js'
import { fetchStatements } from './campaign-statements.js'
import { findKept, readForeignPart } from './foreign-objects.js'
import { readLevels } from './sharing.js'
import { fileTechniques } from './techniques.js'

/** An object that a campaign's feed is to have. */
export interface Publishable {
  stix_id: string
  type: string
  version: string
  /** SHA-256 of its bytes; hexadecimal. */
  source: string
  bytes: number
  /** A place in `TLP_LEVELS`. */
  tlp: number
  /** Whether it is the latest version of the object. */
  last: boolean
  first: boolean
  revocable: boolean
  /** Ours: the object. Of another tool: the document that keeps its bytes. */
  of: StixObject | Types.ObjectId
}

/** All that a campaign's feed is to have. */
export interface PublishableCampaign {
  title: string
  tlp: Tlp
  changed_at: Date
  objects: Publishable[]
  /** For MISP's feed. */
  misp: { event: MispEvent; tlp: Tlp }
}

export class TooManyObjects extends Error {}

const RED = rankOfTlp('red')
export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex')

const versionOf = ({ modified, created }: StixObject): string => String(modified ?? created ?? '')

/** The level of an object of ours: its marking's, or that which it defines. */
const levelOf = ({ id, object_marking_refs: refs }: StixObject): Tlp => {
  const ids = [id, ...(Array.isArray(refs) ? refs.map(String) : [])]
  return highestTlp(ids.map(each => tlpOfMarkingId(each))) ?? 'clear'
}

/** Marks the latest and the earliest version of each object. Of equal ones the last one counts as latest. */
const markVersions = (objects: Publishable[]): Publishable[] => {
  const latest = new Map<string, Publishable>()
  const earliest = new Map<string, Publishable>()
  for (const each of objects) {
    const last = latest.get(each.stix_id)
    if (!last || last.version <= each.version) latest.set(each.stix_id, each)
    const first = earliest.get(each.stix_id)
    if (!first || first.version > each.version) earliest.set(each.stix_id, each)
  }
  for (const each of latest.values()) each.last = true
  for (const each of earliest.values()) each.first = true
  return objects
}

/**
 * What a campaign publishes: the objects of its STIX file without evidence and without what is TLP:RED, those of other
 * tools byte for byte. Null for a campaign that is red.
 * @throws 404, 503 while the iods service is down, TooManyObjects
 */
export const readPublishable = async (
  { campaigns, imports, foreign }: CampaignModels,
  peers: Peers,
  users: UserDirectory,
  id: string,
): Promise<PublishableCampaign | null> => {
  const doc = await findCampaign(campaigns, id, '+changed_at', '+techniques')
  const sharing = await readLevels({ campaigns, imports }, id)
  if (sharing.tlp === 'red') return null
  const keeps = await readForeignPart(foreign, doc, 'stix')
  const [[campaign], all, statements] = await Promise.all([
    presentCampaigns(users, [doc]),
    fetchIods(peers, doc),
    fetchStatements(peers, doc),
  ])
  const isRed = (iod: string) =>
    [statements.get(iod)?.tlp, keeps.standIns.get(iod)?.tlp].some(level => level === 'red')
  const detail = { ...campaign, iods: all.filter(iod => !isRed(iod.id)) } as CampaignDetail
  const changed_at = doc.changed_at ?? doc.created_at
  const context: ExportContext = {
    now: changed_at,
    statements,
    changedAt: changed_at,
    tlp: sharing.tlp,
    standIns: keeps.standIns,
    techniques: fileTechniques(doc),
  }
  const bundle = toStixBundle(detail, context)
  const kept = await findKept(
    foreign,
    doc._id,
    bundle.objects.map(each => each.id),
  )
  const objects: Publishable[] = []
  const add = (object: Publishable) => {
    if (object.tlp >= RED) return
    if (objects.push(object) > LIMITS.publishedObjectsMax) throw new TooManyObjects()
  }
  for (const object of withoutKept(bundle, kept).objects) {
    const raw = JSON.stringify(object)
    add({
      stix_id: object.id,
      type: object.type,
      version: versionOf(object),
      source: sha256Of(raw),
      bytes: raw.length,
      tlp: rankOfTlp(levelOf(object)),
      last: false,
      first: false,
      revocable: isRevocable(object),
      of: object,
    })
  }
  const hidden = new Set(keeps.withheld)
  const given = new Set<string>()
  const docs = foreign
    .find({ campaign_id: doc._id, format: 'stix' }, { raw: 0 })
    .sort(BY_FILE)
    .lean<ForeignDoc[]>()
    .cursor({ batchSize: 1_000 })
  for await (const each of docs as unknown as AsyncIterable<ForeignDoc>) {
    const { _id, key, version, type, sha256, bytes, tlp, refs } = each
    // TAXII names objects by their ids.
    if (key === '' || given.has(sha256) || hidden.has(key) || refs?.some(ref => hidden.has(ref))) continue
    given.add(sha256)
    add({
      stix_id: key,
      type,
      version,
      source: sha256,
      bytes,
      tlp: Math.max(rankOfTlp(sharing.tlp), tlp ?? 0),
      last: false,
      first: false,
      revocable: false,
      of: _id,
    })
  }
  const levels = detail.iods.map(({ id: iod }) => statements.get(iod)?.tlp)
  return {
    title: doc.name,
    tlp: sharing.tlp,
    changed_at,
    objects: markVersions(objects),
    misp: {
      event: toMispEvent(detail, { ...context, standIns: undefined }),
      tlp: highestTlp([sharing.tlp, ...levels]) ?? sharing.tlp,
    },
  }
}
