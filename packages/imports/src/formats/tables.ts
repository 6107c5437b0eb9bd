import type { Header } from '../tables/cells.js'
import type { TableFormat } from '../tables/table.js'
import { fourCat, zeeschuimerCsv } from './4cat/index.js'
import { chosenColumns } from './chosen-columns.js'
import { crowdtangle } from './crowdtangle.js'
import { junkipedia } from './junkipedia.js'
import { metaContentLibrary } from './meta-content-library.js'
import { telegramScraperCsv } from './telegram/scraper-csv.js'
import { telegramTrackerCsv } from './telegram/tracker-csv.js'
import { twarcCsv } from './twarc-csv.js'
import { ytdtComments, ytdtVideos } from './ytdt.js'

/** Formats of tables by name, the most specific header first. */
export const TABLE_FORMATS = {
  'twarc-csv': twarcCsv,
  'telegram-tracker': telegramTrackerCsv,
  'telegram-scraper-csv': telegramScraperCsv,
  junkipedia,
  'meta-content-library': metaContentLibrary,
  crowdtangle,
  'ytdt-videos': ytdtVideos,
  'ytdt-comments': ytdtComments,
  '4cat': fourCat,
  'zeeschuimer-csv': zeeschuimerCsv,
  csv: chosenColumns,
} as const satisfies Record<string, TableFormat>

export type TableFormatName = keyof typeof TABLE_FORMATS

/**
 * Returns the name of the format that has a header's columns; `csv` for an unknown one, whose columns the user chooses.
 * @param separator Zeeschuimer writes 4CAT's columns with semicolons
 */
export const tableFormatOf = (header: Header, separator: string): TableFormatName => {
  const names = Object.keys(TABLE_FORMATS) as TableFormatName[]
  const name = names.find(each => TABLE_FORMATS[each].hasHeader(header)) ?? 'csv'
  return name === '4cat' && separator === ';' && !header.has('missing_fields') ? 'zeeschuimer-csv' : name
}
