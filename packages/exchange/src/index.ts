import type { CampaignDetail, ExportFormat, Iod } from '@iodine/contracts'
import { type ExportContext, type ExportFile, toCampaignFile, toIodsFile } from './campaign-file.js'
import { toCsv } from './csv.js'
import { toNavigatorLayer } from './disarm/navigator.js'
import { day, exportNameOf, extensionOf, mediaTypeOf } from './export-name.js'
import { toMispEvent } from './misp/event.js'
import { toStixBundle } from './stix/bundle.js'

export {
  type CampaignFile,
  type ExportContext,
  type ExportFile,
  type ImportedCounterpart,
  type StatementsById,
  toCampaignFile,
} from './campaign-file.js'
export { readRows } from './csv.js'
export type { UsedTechnique } from './disarm/technique.js'
export type { EvidenceById } from './evidence.js'
export { exportFileName, exportNameOf, isVersioned, mediaTypeOf } from './export-name.js'
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
export type { Quotes } from './read-evidence.js'
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

const WRITERS: Record<ExportFormat, (detail: CampaignDetail, context: ExportContext) => string> = {
  json: (detail, context) => pretty(toCampaignFile(detail, context)),
  stix: (detail, context) => pretty(toStixBundle(detail, context)),
  misp: (detail, context) => pretty(toMispEvent(detail, context)),
  csv: ({ iods }, context) => toCsv(iods, context),
  navigator: (detail, { techniques = [], quotes }) => pretty(toNavigatorLayer(detail, techniques, quotes)),
}

/** Exports a campaign to a file in one of the formats. */
export function exportCampaign(
  detail: CampaignDetail,
  format: ExportFormat,
  context: ExportContext,
): ExportFile {
  return {
    name: exportNameOf(detail.name, format, context.now),
    mediaType: mediaTypeOf(format),
    text: WRITERS[format](detail, context),
  }
}

/** Exports IODs to a file that a campaign can import: iods_{YYYY-MM-DD, UTC} and the extension. */
export function exportIods(
  iods: readonly Iod[],
  format: Extract<ExportFormat, 'json' | 'csv'>,
  context: ExportContext,
): ExportFile {
  const text = format === 'csv' ? toCsv(iods, context) : pretty(toIodsFile(iods, context))
  return { name: `iods_${day(context.now)}.${extensionOf(format)}`, mediaType: mediaTypeOf(format), text }
}
