import { type CampaignDetail, type Iod, REPORT_FILES, type ReportContent } from '@iodine/contracts'
import {
  type ExportContext,
  idOf,
  type StixObject,
  tlpOfMarkingId,
  toMispEvent,
  toStixBundle,
} from '@iodine/exchange'
import { matrixOf, matrixSvg, usedTechniques } from '@iodine/exchange/disarm'
import { writeCsv } from '@iodine/exchange/spreadsheet'
import { toMarkdown } from './markdown.js'
import { shownValue } from './text.js'

/** Confidence of STIX (2.1, appendix A: the scale of low, medium and high). */
const CONFIDENCE = { low: 15, medium: 50, high: 85 } as const

/** Returns the report as a campaign of only its published fields, for the writers of exports. */
const asCampaign = (content: ReportContent): { detail: CampaignDetail; context: ExportContext } => {
  const { slug, title, summary, indicators, techniques, made_at } = content
  const iods = indicators.map(
    ({ uid, value, category, description, first_seen }): Iod => ({
      id: uid,
      value,
      category,
      description,
      source_type: 'MANUAL',
      source: null,
      source_id: null,
      created_by: null,
      created_by_id: null,
      created_by_username: null,
      created_at: first_seen,
      votes: [],
      comments: [],
    }),
  )
  const first = [content.first_at ?? made_at, ...indicators.map(({ first_seen }) => first_seen)].sort()[0]
  const detail = {
    id: `report ${slug}`,
    name: title,
    description: summary,
    created_by_id: null,
    created_by_username: null,
    created_at: first as string,
    iod_count: iods.length,
    iods,
  }
  const statements = new Map(
    indicators.map(({ uid, last_seen }) => [
      uid,
      { uid, confidence: null, since: last_seen, tlp: 'clear' as const },
    ]),
  )
  return {
    detail,
    context: {
      now: new Date(made_at),
      changedAt: new Date(made_at),
      tlp: 'clear',
      statements,
      techniques: usedTechniques(techniques.map(({ id }) => ({ id, at: made_at }))),
    },
  }
}

/** Returns the report as a STIX 2.1 bundle: a `report` over the campaign's objects, all marked TLP:CLEAR. */
export const toStix = (content: ReportContent): string => {
  const { slug, title, summary, url, made_at, exhibits, indicators, findings } = content
  const { detail, context } = asCampaign(content)
  const bundle = toStixBundle(detail, context)
  const [author] = bundle.objects
  const clear = bundle.objects.find(({ id }) => tlpOfMarkingId(id) === 'clear')
  const marked = { object_marking_refs: clear ? [clear.id] : [] }
  const common = {
    spec_version: '2.1',
    created: made_at,
    modified: made_at,
    created_by_ref: author?.id,
    ...marked,
  }
  const kept = bundle.objects.filter(
    object => object.type !== 'grouping' && (object.type !== 'marking-definition' || object === clear),
  )
  const content_refs = kept.filter(({ type }) => type !== 'marking-definition').map(({ id }) => id)
  const campaign = kept.find(({ type }) => type === 'campaign')
  /** Returns the ids of the indicators that an exhibit quotes, or of the campaign. */
  const refsOf = (n: number) => {
    const quoted = indicators.filter(each => each.exhibits.includes(n))
    const refs = quoted.map(({ uid }) => `indicator--${idOf('indicator', uid)}`)
    return refs.length > 0 ? refs : campaign ? [campaign.id] : content_refs
  }
  const notes: StixObject[] = [
    ...exhibits.map(({ n, quote, captured_at, manifest_hash }) => ({
      type: 'note',
      id: `note--${idOf('exhibit', slug, String(n), manifest_hash, quote)}`,
      ...common,
      abstract: `E${n}, captured ${captured_at}, manifest ${manifest_hash}`,
      content: quote,
      object_refs: refsOf(n),
    })),
    ...findings.map(({ text, confidence }, at) => ({
      type: 'note',
      id: `note--${idOf('finding', slug, String(at), text)}`,
      ...common,
      abstract: `Finding ${at + 1}`,
      content: text,
      confidence: CONFIDENCE[confidence],
      object_refs: campaign ? [campaign.id] : content_refs,
    })),
  ]
  const report: StixObject = {
    type: 'report',
    id: `report--${idOf('report', slug)}`,
    ...common,
    name: title,
    ...(summary && { description: summary }),
    report_types: ['campaign'],
    published: made_at,
    external_references: [{ source_name: content.site.name, url }],
    object_refs: [...new Set([...content_refs, ...notes.map(({ id }) => id)])],
  }
  const objects = kept.map(object => ('object_marking_refs' in object ? { ...object, ...marked } : object))
  return `${JSON.stringify({ ...bundle, objects: [...objects, ...notes, report] })}\n`
}

/** Returns the report as a MISP event with an event report. */
export const toMisp = (content: ReportContent): string => {
  const { detail, context } = asCampaign(content)
  const { Event } = toMispEvent(detail, context)
  const EventReport = [
    {
      uuid: idOf('event report', content.slug),
      name: content.title,
      content: toMarkdown(content),
      distribution: '5',
      timestamp: Event.timestamp,
      deleted: false,
    },
  ]
  return `${JSON.stringify({ Event: { ...Event, published: true, EventReport } }, null, 2)}\n`
}

/** Returns the indicators as CSV. */
export const toIndicatorsCsv = ({ indicators }: ReportContent): string =>
  writeCsv(
    ['kind', 'value', 'value_defanged', 'description', 'first_seen', 'last_seen', 'exhibits'],
    indicators.map(each => [
      each.category,
      each.value,
      shownValue(each),
      each.description,
      each.first_seen,
      each.last_seen,
      each.exhibits.map(n => `E${n}`).join(' '),
    ]),
  )

/** Returns DISARM's matrix of the report's techniques as an SVG document. */
export const toMatrix = ({ techniques, title, language }: ReportContent): string =>
  matrixSvg(
    matrixOf(
      techniques.map(({ id, quotes }) => ({ id, quotes })),
      { isUsedOnly: true },
    ),
    { title, language },
  )

/** Names and media types of the files that a page links. */
export const LINKED_FILES = Object.entries(REPORT_FILES)
  .filter(([name]) => !name.startsWith('manifest') && name !== 'page.html')
  .map(([name, type]) => ({ name, type: type as string }))
