import type { ExportFormat } from '@iodine/contracts'

const FILES: Record<ExportFormat, { extension: string; mediaType: string }> = {
  json: { extension: 'json', mediaType: 'application/json' },
  stix: { extension: 'stix.json', mediaType: 'application/stix+json' },
  misp: { extension: 'misp.json', mediaType: 'application/json' },
  csv: { extension: 'csv', mediaType: 'text/csv; charset=utf-8' },
  navigator: { extension: 'navigator.json', mediaType: 'application/json' },
}

/** Returns whether a format versions its objects: then it needs statements and the time of the last change. */
export const isVersioned = (format: ExportFormat): boolean => format === 'stix' || format === 'misp'

export const mediaTypeOf = (format: ExportFormat): string => FILES[format].mediaType

export const extensionOf = (format: ExportFormat): string => FILES[format].extension

/** Returns the UTC date: YYYY-MM-DD. */
export const day = (now: Date): string => now.toISOString().slice(0, 10)

const NAME_MAX = 200

/**
 * Returns campaign_{name}_{YYYY-MM-DD, UTC} with the extension. Characters of the name other than a–z and 0–9 become
 * underscores.
 */
export function exportFileName(name: string, now: Date, extension: string): string {
  const safe = name
    .toLowerCase()
    .replace(/[^a-z0-9]/gu, '_')
    .slice(0, NAME_MAX)
  return `campaign_${safe}_${day(now)}.${extension}`
}

/** Returns the name of a campaign's file. */
export const exportNameOf = (campaign: string, format: ExportFormat, now: Date): string =>
  exportFileName(campaign, now, extensionOf(format))
