import {
  type CampaignDetail,
  DEFAULT_TLP,
  type Evidence,
  highestTlp,
  type Iod,
  type IodStatement,
  PRODUCT_NAME,
  type Tlp,
} from '@iodine/contracts'
import { type ExportContext, statementOf, versionOf } from '../campaign-file.js'
import { classify, type Kind } from '../classify.js'
import { UNKNOWN_AUTHOR } from '../comments.js'
import { GALAXY, type UsedTechnique } from '../disarm/technique.js'
import { idOf } from '../ids.js'

/** A MISP event of a campaign. */
export type MispEvent = ReturnType<typeof toMispEvent>

/**
 * MISP's coded values: threat level undefined, analysis ongoing, distribution own organisation only, inherit
 * from event.
 */
const UNDEFINED_LEVEL = '4'
const ONGOING = '1'
const OWN_ORGANISATION = '0'
/** Distribution: inherited from the event. */
export const INHERIT = '5'

const HASH_TYPES = { MD5: 'md5', 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-512': 'sha512' } as const

/** Returns MISP's type and category of an attribute. `to_ids` marks it for intrusion detection. */
function typeOf(kind: Kind): { type: string; category: string; to_ids: boolean } {
  const network = { category: 'Network activity', to_ids: true }
  switch (kind.kind) {
    case 'url':
    case 'domain':
      return { type: kind.kind, ...network }
    case 'ipv4':
    case 'ipv6':
      return { type: 'ip-dst', ...network }
    case 'hash': {
      // MISP does not allow SHA-512 in the category External analysis.
      const category = kind.algorithm === 'SHA-512' ? 'Payload delivery' : 'External analysis'
      return { type: HASH_TYPES[kind.algorithm], category, to_ids: true }
    }
    case 'person':
      return { type: 'full-name', category: 'Person', to_ids: false }
    case 'username':
      return { type: 'text', category: 'Social network', to_ids: false }
    default:
      return { type: 'text', category: 'Other', to_ids: false }
  }
}

/** Returns Unix seconds. */
export const seconds = (time: string | Date): string => String(Math.floor(new Date(time).getTime() / 1000))
/** Returns a time in MISP's format for opinions and notes: '2026-11-21 10:00:00'. */
const plainTime = (time: string): string => time.slice(0, 19).replace('T', ' ')
/** Namespace of Iodine's tags. */
export const PRODUCT_TAG = PRODUCT_NAME.toLowerCase()
const tag = (predicate: string, value: string) => ({ name: `${PRODUCT_TAG}:${predicate}="${value}"` })

/**
 * Returns the tags of techniques: their clusters' values are not escaped, even with quotation marks.
 * @param present ids of techniques whose tags the event already has
 */
export const galaxyTags = (
  techniques: readonly UsedTechnique[],
  present: ReadonlySet<string> = new Set(),
) => {
  const clusters = techniques.filter(({ id }) => !present.has(id)).flatMap(each => each.clusters)
  const values = clusters.filter(({ id }) => !present.has(id)).map(({ value }) => value)
  return [...new Set(values)].map(value => ({ name: `misp-galaxy:${GALAXY}="${value}"` }))
}

/** Returns the votes and comments on an attribute's IOD, as the attribute's lists of opinions and notes. */
export function analystData(iod: Iod, uuid: string, edited: IodStatement['edited'] = {}) {
  const common = (time: string, username: string | null, modified = time) => ({
    object_uuid: uuid,
    object_type: 'Attribute',
    authors: username ?? UNKNOWN_AUTHOR,
    created: plainTime(time),
    modified: plainTime(modified),
    distribution: INHERIT,
  })
  return {
    ...(iod.votes.length > 0 && {
      Opinion: iod.votes.map(vote => ({
        uuid: idOf('opinion', vote.id),
        ...common(vote.created_at, vote.username),
        opinion: vote.vote_type === 'POSITIVE' ? '100' : '0',
        comment: '',
      })),
    }),
    ...(iod.comments.length > 0 && {
      Note: iod.comments.map(comment => ({
        uuid: idOf('note', comment.id),
        ...common(comment.created_at, comment.username, edited[comment.id]),
        note: comment.content,
      })),
    }),
  }
}

function toAttribute(iod: Iod, uuid: string, { edited }: IodStatement) {
  return {
    uuid,
    ...typeOf(classify(iod)),
    value: iod.value,
    comment: iod.description,
    timestamp: seconds(iod.created_at),
    distribution: INHERIT,
    first_seen: iod.created_at,
    Tag: [tag('category', iod.category), tag('source-type', iod.source_type)],
    ...analystData(iod, uuid, edited),
  }
}

/** MISP's object template for notes on an attribute. */
const ANNOTATION = {
  name: 'annotation',
  'meta-category': 'misc',
  template_uuid: '5d8dc046-15a1-4ca3-a09f-ed4ede7c4487',
  template_version: '2',
}

/** Converts evidence to an annotation that refers to the IOD's attribute. */
function toAnnotation(evidence: Evidence, referenced_uuid: string) {
  const { id, url, captured_at, exact, seal } = evidence
  const timestamp = seconds(evidence.created_at)
  const attribute = (object_relation: string, type: string, category: string, value: string) => ({
    uuid: idOf('evidence', object_relation, id),
    object_relation,
    type,
    category,
    value,
    to_ids: false,
    comment: '',
    timestamp,
    distribution: INHERIT,
  })
  const uuid = idOf('evidence', id)
  return {
    uuid,
    ...ANNOTATION,
    timestamp,
    distribution: INHERIT,
    comment: seal ? `Sealed in log entry ${seal.seq} as ${seal.manifest_hash}` : 'Evidence without a seal',
    Attribute: [
      attribute('text', 'text', 'Other', exact),
      attribute('type', 'text', 'Other', 'Annotation'),
      ...(url === null ? [] : [attribute('ref', 'link', 'External analysis', url)]),
      ...(captured_at === null ? [] : [attribute('creation-date', 'datetime', 'Other', captured_at)]),
    ],
    ObjectReference: [
      {
        uuid: idOf('evidence', 'reference', id),
        object_uuid: uuid,
        referenced_uuid,
        relationship_type: 'mentions',
        comment: '',
        timestamp,
      },
    ],
  }
}

/** Returns the strictest TLP level of a campaign and its IODs. */
export const levelOfEvent = ({ iods }: CampaignDetail, context: ExportContext): Tlp => {
  const { tlp = DEFAULT_TLP } = context
  return highestTlp([tlp, ...iods.map(iod => statementOf(iod, context).tlp)]) ?? tlp
}

/** Returns the attributes of IODs, and their evidence as objects. */
export function toElements(iods: readonly Iod[], context: ExportContext) {
  const uuidOf = (iod: Iod) =>
    context.standIns?.get(iod.id)?.id ?? idOf('attribute', statementOf(iod, context).uid)
  return {
    Attribute: iods
      .filter(({ id }) => !context.standIns?.has(id))
      .map(iod => toAttribute(iod, uuidOf(iod), statementOf(iod, context))),
    Object: iods.flatMap(iod =>
      (context.evidence?.get(iod.id) ?? []).map(each => toAnnotation(each, uuidOf(iod))),
    ),
  }
}

export const tlpTag = (level: Tlp) => ({ name: `tlp:${level}` })

/**
 * Converts a campaign to a MISP event: one attribute per IOD, votes as opinions of 0 or 100, evidence as annotations.
 * Its `timestamp` changes only with its content.
 */
export function toMispEvent(detail: CampaignDetail, context: ExportContext) {
  return {
    Event: {
      uuid: idOf('event', detail.id),
      info: detail.name,
      date: detail.created_at.slice(0, 10),
      threat_level_id: UNDEFINED_LEVEL,
      analysis: ONGOING,
      distribution: OWN_ORGANISATION,
      published: false,
      timestamp: seconds(versionOf(detail, context)),
      // Attributes inherit the event's level.
      Tag: [tlpTag(levelOfEvent(detail, context)), ...galaxyTags(context.techniques ?? [])],
      ...toElements(detail.iods, context),
    },
  }
}
