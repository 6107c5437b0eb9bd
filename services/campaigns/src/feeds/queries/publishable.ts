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
import type { CampaignDoc } from '../../campaigns/models/campaign.js'
import { presentCampaigns } from '../../campaigns/presenters/campaign.js'
import { fetchIods, findCampaign } from '../../campaigns/queries/campaign-detail.js'
import { readLevels } from '../../campaigns/queries/sharing.js'
import { withoutKept } from '../../exports/presenters/stix-file.js'
import { fetchStatements } from '../../exports/queries/campaign-statements.js'
import {
  beyondEvents,
  type CampaignContent,
  iodsById,
  packedObjects,
  writtenEvent,
} from '../../exports/queries/written-events.js'
import {
  type ForeignPart,
  findKept,
  foreignObjects,
  readForeignPart,
} from '../../imports/queries/foreign-objects.js'
import { findEvents, iodsInEvent, type StoredEvent } from '../../imports/queries/kept-events.js'
import type { CampaignModels } from '../../models.js'
import { fileTechniques } from '../../techniques/queries/techniques.js'
import { isOlder } from '../../versions.js'

/** An object to publish in a campaign's feed. */
export interface Publishable {
  stix_id: string
  type: string
  version: string
  /** SHA-256 of its bytes; hexadecimal. */
  source: string
  bytes: number
  /** An index into `TLP_LEVELS`. */
  tlp: number
  /** Whether it is the latest version of the object. */
  last: boolean
  first: boolean
  revocable: boolean
  /** Our object, or the id of the document with the bytes of an imported object. */
  of: StixObject | Types.ObjectId
}

/** An imported event to publish in a campaign's feed. */
export interface PublishableEvent {
  uuid: string
  /** An index into `TLP_LEVELS`. */
  tlp: number
  /**
   * Yields its bytes with the campaign's content.
   * @param newer minimum timestamp, Unix seconds
   */
  write: (newer?: number) => AsyncIterable<Uint8Array>
}

/** Content to publish in a campaign's feed. */
export interface PublishableCampaign {
  title: string
  tlp: Tlp
  objects: Publishable[]
  /** For the MISP feed: the campaign's own event, and its imported events. */
  misp: { event: MispEvent; tlp: Tlp; kept: PublishableEvent[] }
}

export class TooManyObjects extends Error {}

const RED = rankOfTlp('red')
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex')

const versionOf = ({ modified, created }: StixObject): string => String(modified ?? created ?? '')

/** Returns the level of our object: that of its markings, or the level that it defines. */
const levelOf = ({ id, object_marking_refs: refs }: StixObject): Tlp => {
  const ids = [id, ...(Array.isArray(refs) ? refs.map(String) : [])]
  return highestTlp(ids.map(each => tlpOfMarkingId(each))) ?? 'clear'
}

const ownObject = (object: StixObject): Publishable => {
  const raw = JSON.stringify(object)
  return {
    stix_id: object.id,
    type: object.type,
    version: versionOf(object),
    source: sha256Of(raw),
    bytes: Buffer.byteLength(raw),
    tlp: rankOfTlp(levelOf(object)),
    last: false,
    first: false,
    revocable: isRevocable(object),
    of: object,
  }
}

/** Marks the latest and the earliest version of each object. Of equal versions the last one counts as latest. */
const markVersions = (objects: Publishable[]): Publishable[] => {
  const latest = new Map<string, Publishable>()
  const earliest = new Map<string, Publishable>()
  for (const each of objects) {
    const last = latest.get(each.stix_id)
    if (!last || !isOlder(each.version, last.version)) latest.set(each.stix_id, each)
    const first = earliest.get(each.stix_id)
    if (!first || isOlder(each.version, first.version)) earliest.set(each.stix_id, each)
  }
  for (const each of latest.values()) each.last = true
  for (const each of earliest.values()) each.first = true
  return objects
}

/** A campaign without its TLP:RED content. */
interface PublishableSource {
  models: CampaignModels
  doc: CampaignDoc
  tlp: Tlp
  /** With the stand-ins of MISP events. */
  content: CampaignContent
  /** Its imported STIX objects. */
  stix: ForeignPart
  events: readonly StoredEvent[]
}

/** Reads a campaign's visible content. Null for a TLP:RED campaign. Throws 404, 503 while the iods service is down. */
const readSource = async (
  models: CampaignModels,
  peers: Peers,
  users: UserDirectory,
  id: string,
): Promise<PublishableSource | null> => {
  const { campaigns, foreign } = models
  const doc = await findCampaign(campaigns, id, '+changed_at', '+techniques')
  const { tlp } = await readLevels(models, id)
  if (tlp === 'red') return null
  const [[campaign], all, statements, events] = await Promise.all([
    presentCampaigns(users, [doc]),
    fetchIods(peers, doc),
    fetchStatements(peers, doc),
    findEvents(models, doc._id),
  ])
  const isRed = (iod: string) => statements.get(iod)?.tlp === 'red'
  // Objects that stand for a TLP:RED IOD are omitted, as if the campaign did not contain it.
  const visible = { ...doc, iod_ids: (doc.iod_ids ?? []).filter(iod => !isRed(String(iod))) }
  const stix = await readForeignPart(foreign, visible, 'stix')
  const whole = events.map(({ import_id }) => import_id)
  const { standIns, withheld } = await readForeignPart(foreign, visible, 'misp', whole)
  const detail = { ...campaign, iods: all.filter(iod => !isRed(iod.id)) } as CampaignDetail
  const context: ExportContext = {
    now: doc.changed_at,
    statements,
    changedAt: doc.changed_at,
    tlp,
    standIns,
    techniques: fileTechniques(doc),
  }
  return {
    models,
    doc,
    tlp,
    content: { detail, context, iods: iodsById(detail), withheld: new Set(withheld) },
    stix,
    events: events.filter(event => highestTlp([event.tlp, event.strictest]) !== 'red'),
  }
}

/** Returns the objects of a campaign's STIX file, in all versions. Throws TooManyObjects. */
const publishableObjects = async ({
  models: { foreign },
  doc,
  tlp: least,
  content,
  stix,
  events,
}: PublishableSource): Promise<Publishable[]> => {
  const objects: Publishable[] = []
  const add = (object: Publishable) => {
    if (object.tlp >= RED) return
    if (objects.push(object) > LIMITS.publishedObjectsMax) throw new TooManyObjects()
  }
  const bundle = toStixBundle(content.detail, { ...content.context, standIns: stix.standIns })
  const ids = bundle.objects.map(each => each.id)
  const own = withoutKept(bundle, await findKept(foreign, doc._id, ids))
  for (const object of own.objects) add(ownObject(object))
  const fields = ['type', 'version', 'sha256', 'bytes', 'tlp'] as const
  for await (const each of foreignObjects(foreign, doc._id, 'stix', stix, fields)) {
    const { _id, key, sha256, tlp, type, version, bytes } = each
    // TAXII identifies objects by their ids: objects without an id are omitted.
    if (key === '') continue
    add({
      stix_id: key,
      type,
      version,
      source: sha256,
      bytes,
      tlp: Math.max(rankOfTlp(least), tlp ?? 0),
      last: false,
      first: false,
      revocable: false,
      of: _id,
    })
  }
  let room = LIMITS.importBytes
  for (const event of events)
    for await (const raw of packedObjects(foreign, doc._id, content, event)) {
      room -= raw.length
      if (room < 0) throw new TooManyObjects()
      add(ownObject(JSON.parse(raw)))
    }
  return markVersions(objects)
}

/** Returns a campaign's own MISP event, and its imported events. */
const publishableEvents = async ({
  models: { foreign },
  doc,
  tlp: least,
  content,
  events,
}: PublishableSource): Promise<PublishableCampaign['misp']> => {
  const { detail, context } = content
  const levelOfIods = (ids: Iterable<string>) =>
    highestTlp([least, ...[...ids].map(iod => context.statements?.get(iod)?.tlp)]) ?? least
  const byUuid = new Map<string, PublishableEvent>()
  const inEvents = new Set<string>()
  const { uuid: ownUuid } = toMispEvent({ ...detail, iods: [] }, context).Event
  const named = events.filter(({ uuid }) => UUID.test(uuid.toLowerCase()) && uuid.toLowerCase() !== ownUuid)
  for (const event of named) {
    const uuid = event.uuid.toLowerCase()
    const own = [...(await iodsInEvent(foreign, doc._id, event))].filter(iod => content.iods.has(iod))
    for (const iod of own) inEvents.add(iod)
    byUuid.set(uuid, {
      uuid,
      tlp: rankOfTlp(highestTlp([event.tlp, event.strictest, levelOfIods(own)]) ?? least),
      write: newer => writtenEvent(foreign, doc._id, content, event, newer),
    })
  }
  // IODs of an event without a usable UUID are in the campaign's own event.
  const standIns = new Map([...(context.standIns ?? [])].filter(([iod]) => inEvents.has(iod)))
  const beyond = { ...content, context: { ...context, standIns } }
  const { iods, techniques } = beyondEvents(beyond, named)
  return {
    event: toMispEvent({ ...detail, iods }, { ...beyond.context, techniques }),
    tlp: levelOfIods(iods.map(({ id }) => id)),
    kept: [...byUuid.values()],
  }
}

/**
 * Returns the content that a campaign publishes: the objects of its STIX file, without evidence and TLP:RED objects.
 * Imported objects are unchanged. Null for a TLP:RED campaign.
 * @throws 404, 503 while the iods service is down, TooManyObjects
 */
export const readPublishable = async (
  models: CampaignModels,
  peers: Peers,
  users: UserDirectory,
  id: string,
): Promise<PublishableCampaign | null> => {
  const source = await readSource(models, peers, users, id)
  return (
    source && {
      title: source.doc.name,
      tlp: source.tlp,
      objects: await publishableObjects(source),
      misp: await publishableEvents(source),
    }
  )
}
