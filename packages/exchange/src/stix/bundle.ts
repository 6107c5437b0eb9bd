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
import { changeOf, type ExportContext, statementOf, versionOf } from '../campaign-file.js'
import { classify } from '../classify.js'
import { UNKNOWN_AUTHOR } from '../comments.js'
import { pageOf, phaseNameOf, SOURCE_NAME, type UsedTechnique } from '../disarm/technique.js'
import { idOf, observableId } from '../ids.js'
import { toMarking } from '../tlp.js'
import { EVIDENCE_EXTENSION, evidenceNote } from './evidence-note.js'
import { AUTHOR, createObject, DEFAULT_MARKING, relationship, SINCE, type StixObject } from './object.js'
import { isUri, toUri } from './uri.js'

export interface StixBundle {
  type: 'bundle'
  id: string
  objects: StixObject[]
}

/** OpenCTI's extensions for its own object types: narratives, and text as an observable. */
const NEW_SDO = 'extension-definition--ea279b3e-5c71-4632-ac08-831c66a786ba'
const NEW_SCO = 'extension-definition--f93e2c80-4231-4f9a-af8b-95c9bd566a82'

/** Time at which Iodine last changed the form of techniques: the minimum `modified` of their objects. */
const TECHNIQUES_SINCE = '2026-11-27T00:00:00.000Z'
/** Returns a string literal of a pattern. */
const quote = (value: string) => `'${value.replace(/[\\']/g, '\\$&')}'`

interface IndicatorBasis {
  pattern: string
  /** The object that the indicator is based on. */
  object: StixObject
}

const ADDRESS_TYPES = { domain: 'domain-name', ipv4: 'ipv4-addr', ipv6: 'ipv6-addr' } as const

/** Returns the observable (or other object) for an IOD's value, and the pattern that matches it. */
function describe(iod: Iod, uid: string): IndicatorBasis {
  const kind = classify(iod)
  const value = iod.value.trim()
  const observable = (type: string, properties: object, path: string, text = value): IndicatorBasis => ({
    pattern: `[${type}:${path} = ${quote(text)}]`,
    object: {
      type,
      spec_version: '2.1',
      id: `${type}--${observableId(properties)}`,
      ...properties,
      ...DEFAULT_MARKING,
    },
  })
  // Fallback without a standard observable: match the text.
  const asText = `[text:value = ${quote(iod.value)}]`
  switch (kind.kind) {
    case 'url':
      return observable('url', { value: toUri(value) }, 'value', toUri(value))
    case 'domain':
    case 'ipv4':
    case 'ipv6':
      return observable(ADDRESS_TYPES[kind.kind], { value }, 'value')
    case 'hash':
      return observable('file', { hashes: { [kind.algorithm]: value } }, `hashes.'${kind.algorithm}'`)
    case 'username': {
      const network = { TIKTOK: 'tiktok', TELEGRAM: 'telegram' }[iod.source_type as string]
      const properties = { account_login: value, ...(network && { account_type: network }) }
      return observable('user-account', properties, 'account_login')
    }
    case 'person':
    case 'organization':
      return {
        pattern: asText,
        object: createObject('identity', ['subject', uid], iod.created_at, {
          name: iod.value,
          identity_class: kind.kind === 'person' ? 'individual' : 'organization',
        }),
      }
    case 'triplet':
      return {
        pattern: asText,
        object: createObject('narrative', ['narrative', uid], iod.created_at, {
          name: iod.value,
          ...(iod.description && { description: iod.description }),
          narrative_types: ['narrative-triplet'],
          extensions: { [NEW_SDO]: { extension_type: 'new-sdo' } },
        }),
      }
    case 'text': {
      const text = observable('text', { value: iod.value }, 'value', iod.value)
      return { ...text, object: { ...text.object, extensions: { [NEW_SCO]: { extension_type: 'new-sco' } } } }
    }
  }
}

/** Additional content of an IOD's objects. */
interface IodContext {
  evidence: readonly Evidence[]
  statement: IodStatement
  /** Id of the imported object that represents the IOD; the caller writes it to the file. */
  standIn: string | undefined
}

/** Returns all STIX objects of one IOD; the indicator comes first. */
function iodObjects(
  iod: Iod,
  campaign: StixObject,
  { evidence, statement, standIn }: IodContext,
): StixObject[] {
  const { uid, confidence, since, edited = {} } = statement
  const { pattern, object } = describe(iod, uid)
  const properties = {
    name: iod.value,
    ...(iod.description && { description: iod.description }),
    indicator_types: ['unknown'],
    labels: [iod.category, iod.source_type],
    pattern,
    pattern_type: 'stix',
    valid_from: iod.created_at,
    ...(confidence !== null && { confidence }),
    external_references: [
      {
        source_name: PRODUCT_NAME,
        external_id: iod.id,
        // A source may also be a path or an invalid URI, which STIX does not allow as a URL.
        ...(iod.source && (isUri(iod.source) ? { url: iod.source } : { description: iod.source })),
      },
    ],
  }
  const own = createObject('indicator', ['indicator', uid], iod.created_at, properties, since)
  const indicator = standIn === undefined ? own : { ...own, id: standIn }
  const about = { object_refs: [indicator.id] }
  return [
    // For an imported object, the import contains the objects that it is based on.
    ...(standIn === undefined
      ? [
          indicator,
          object,
          relationship(
            object.type === 'identity' || object.type === 'narrative' ? 'related-to' : 'based-on',
            indicator,
            object,
            iod.created_at,
          ),
        ]
      : []),
    relationship('indicates', indicator, campaign, iod.created_at),
    ...iod.votes.map(vote =>
      createObject('opinion', ['opinion', vote.id], vote.created_at, {
        opinion: vote.vote_type === 'POSITIVE' ? 'agree' : 'disagree',
        authors: [vote.username ?? UNKNOWN_AUTHOR],
        ...about,
      }),
    ),
    ...iod.comments.map(comment =>
      createObject(
        'note',
        ['note', comment.id],
        comment.created_at,
        {
          content: comment.content,
          authors: [comment.username ?? UNKNOWN_AUTHOR],
          ...about,
          external_references: [{ source_name: PRODUCT_NAME, external_id: comment.id }],
        },
        edited[comment.id],
      ),
    ),
    ...evidence.map(each => evidenceNote(each, about)),
  ]
}

/** Marks objects with the strictest level of their IODs: two IODs may share an observable. */
const markAll = (levelled: readonly (readonly [StixObject, Tlp])[]): StixObject[] => {
  const objects = new Map<string, readonly [StixObject, Tlp]>()
  for (const [object, level] of levelled) {
    const before = objects.get(object.id)?.[1]
    objects.set(object.id, [object, highestTlp([level, before]) ?? level])
  }
  return [...objects.values()].map(([object, level]) => ({
    ...object,
    object_marking_refs: [toMarking(level).id],
  }))
}

/** Returns a DISARM technique, equal in the files of all campaigns, and the campaign's relationship to it. */
function techniqueObjects(
  { id, name, tactic, until, at, listDate }: UsedTechnique,
  campaign: StixObject,
): [pattern: StixObject, use: StixObject] {
  const modified = [TECHNIQUES_SINCE, `${listDate}T00:00:00.000Z`].sort().at(-1)
  // DISARM deletes the page of an obsolete technique.
  const source =
    until === null ? { url: pageOf(id) } : { description: `Obsolete: contained in DISARM Red until ${until}` }
  const properties = {
    name: name ?? id,
    ...(tactic !== null && {
      kill_chain_phases: [{ kill_chain_name: 'disarm', phase_name: phaseNameOf(tactic) }],
    }),
    // OpenCTI identifies the technique by the first reference.
    external_references: [SOURCE_NAME, 'DISARM'].map(source_name => ({
      source_name,
      external_id: id,
      ...source,
    })),
  }
  const pattern = createObject('attack-pattern', ['attack-pattern', id], SINCE, properties, modified)
  return [pattern, relationship('uses', campaign, pattern, at)]
}

/**
 * Converts a campaign to a STIX 2.1 bundle. An object has the same id in each export, and the same `modified` until its
 * content changes. An object is marked at least as strictly as its IOD.
 */
export function toStixBundle(detail: CampaignDetail, context: ExportContext): StixBundle {
  const { iods } = detail
  const { evidence, standIns, techniques = [], tlp = DEFAULT_TLP } = context
  const times = iods.map(({ created_at }) => created_at).sort()
  const version = versionOf(detail, context)
  const versioned = (type: string, properties: object, modified: string) =>
    createObject(type, [type, detail.id], detail.created_at, { name: detail.name, ...properties }, modified)
  const properties = {
    ...(detail.description && { description: detail.description }),
    ...(times.length > 0 && { first_seen: times[0], last_seen: times.at(-1) }),
  }
  const campaign = versioned('campaign', properties, changeOf(detail, context))
  const ofIods = iods.flatMap(iod => {
    const statement = statementOf(iod, context)
    const standIn = standIns?.get(iod.id)
    const level = highestTlp([tlp, statement.tlp, standIn?.tlp]) ?? tlp
    const about = { evidence: evidence?.get(iod.id) ?? [], statement, standIn: standIn?.id }
    return iodObjects(iod, campaign, about).map(object => [object, level] as const)
  })
  const ofTechniques = techniques.flatMap(each => {
    const [pattern, use] = techniqueObjects(each, campaign)
    // The technique itself is public; its use has the campaign's level.
    return [[pattern, DEFAULT_TLP] as const, [use, tlp] as const]
  })
  const content = [[campaign, tlp] as const, ...ofTechniques, ...ofIods]
  const named = [...content.map(([{ id }]) => id), ...iods.flatMap(({ id }) => standIns?.get(id)?.id ?? [])]
  const object_refs = [...new Set(named)]
  const grouping = versioned('grouping', { context: 'suspicious-activity', object_refs }, version)
  const strictest = highestTlp(content.map(([, level]) => level)) ?? tlp
  const levelled = markAll([...content, [grouping, strictest]])
  const levels = new Set([tlp, ...content.map(([, level]) => level)])
  return {
    type: 'bundle',
    id: `bundle--${idOf('bundle', detail.id, version)}`,
    objects: [AUTHOR, ...[...levels].map(toMarking), ...(evidence ? [EVIDENCE_EXTENSION] : []), ...levelled],
  }
}
