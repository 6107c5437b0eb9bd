import type { CampaignDetail, ExportFormat } from '@iodine/contracts'
import { type ExportContext, type ExportFile, exportFileName, toCampaignFile } from './campaign-file.js'
import { toCsv } from './csv.js'
import { toMispEvent } from './misp.js'
import { toStixBundle } from './stix.js'

export { type CampaignFile, type ExportContext, type ExportFile, toCampaignFile } from './campaign-file.js'
export { type MispEvent, toMispEvent } from './misp.js'
export { type Entry, iodKey, readIods, UnreadableFile } from './read.js'
export { type StixBundle, type StixObject, toStixBundle } from './stix.js'

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
  csv: { extension: 'csv', mediaType: 'text/csv; charset=utf-8', write: toCsv },
}

/** Exports a campaign to a file in one of the formats. */
export function exportCampaign(
  detail: CampaignDetail,
  format: ExportFormat,
  context: ExportContext,
): ExportFile {
  const { extension, mediaType, write } = WRITERS[format]
  return {
    name: exportFileName(detail.name, context.now, extension),
    mediaType,
    text: write(detail, context),
  }
}
