import type { CampaignDetail, ExportFormat, Iod } from '@iodine/contracts'
import {
  day,
  type ExportContext,
  type ExportFile,
  exportFileName,
  toCampaignFile,
  toIodsFile,
} from './campaign-file.js'
import { toCsv } from './csv.js'
import { toNavigatorLayer } from './disarm/navigator.js'
import { toMispEvent } from './misp/event.js'
import { toStixBundle } from './stix/bundle.js'

export {
  type CampaignFile,
  type ExportContext,
  type ExportFile,
  exportFileName,
  type ImportedCounterpart,
  type StatementsById,
  toCampaignFile,
} from './campaign-file.js'
export { readRows } from './csv.js'
export type { UsedTechnique } from './disarm/technique.js'
export type { EvidenceById, Quotes } from './evidence.js'
export { ALL_COLLECTION, collectionIdOf, idOf } from './ids.js'
export { formatOf } from './intake/format.js'
export type { Skipped, SliceLimits, Span } from './json/scanner.js'
export { sliceObjects } from './json/slices.js'
export { type MispEvent, toMispEvent } from './misp/event.js'
export {
  describeEvent,
  hashedValues,
  type MispFeedEvent,
  manifestOf,
  nextFeedEvent,
} from './misp-feed.js'
export { type Entry, iodKey, UnreadableFile } from './read.js'
export { type StixBundle, toStixBundle } from './stix/bundle.js'
export type { StixObject } from './stix/object.js'
export { forOpenCti, OPENCTI_TYPES } from './stix/opencti.js'
export {
  type ForeignObject,
  type Markings,
  markingOf,
  nameOf,
  parseObject,
  readStixObject,
} from './stix/read.js'
export { isRevocable, revokedVersion } from './stix/revoke.js'
export { isLaterTaxiiTime, readTaxiiTime, toTaxiiTime } from './taxii-time.js'
export { tlpOfMarkingId } from './tlp.js'

const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const WRITERS: Record<
  ExportFormat,
  { extension: string; mediaType: string; write: (detail: CampaignDetail, context: ExportContext) => string }
> = {
  json: {
    extension: 'json',
    mediaType: 'application/json',
    write: (detail, context) => pretty(toCampaignFile(detail, context)),
  },
  stix: {
    extension: 'stix.json',
    mediaType: 'application/stix+json',
    write: (detail, context) => pretty(toStixBundle(detail, context)),
  },
  misp: {
    extension: 'misp.json',
    mediaType: 'application/json',
    write: (detail, context) => pretty(toMispEvent(detail, context)),
  },
  csv: {
    extension: 'csv',
    mediaType: 'text/csv; charset=utf-8',
    write: ({ iods }, context) => toCsv(iods, context),
  },
  navigator: {
    extension: 'navigator.json',
    mediaType: 'application/json',
    write: (detail, { techniques = [], quotes }) => pretty(toNavigatorLayer(detail, techniques, quotes)),
  },
}

/** Returns whether a format versions its objects: then it needs statements and the time of the last change. */
export const isVersioned = (format: ExportFormat): boolean => format === 'stix' || format === 'misp'

export const mediaTypeOf = (format: ExportFormat): string => WRITERS[format].mediaType

/** Returns the name of a campaign's file. */
export const exportNameOf = (campaign: string, format: ExportFormat, now: Date): string =>
  exportFileName(campaign, now, WRITERS[format].extension)

/** Exports a campaign to a file in one of the formats. */
export function exportCampaign(
  detail: CampaignDetail,
  format: ExportFormat,
  context: ExportContext,
): ExportFile {
  const { mediaType, write } = WRITERS[format]
  return {
    name: exportNameOf(detail.name, format, context.now),
    mediaType,
    text: write(detail, context),
  }
}

/** Exports IODs to a file that a campaign can import: iods_{YYYY-MM-DD, UTC} and the extension. */
export function exportIods(
  iods: readonly Iod[],
  format: Extract<ExportFormat, 'json' | 'csv'>,
  context: ExportContext,
): ExportFile {
  const { extension, mediaType } = WRITERS[format]
  const text = format === 'csv' ? toCsv(iods, context) : pretty(toIodsFile(iods, context))
  return { name: `iods_${day(context.now)}.${extension}`, mediaType, text }
}
