import type { ReportFile, ReportSources, SelectedReport } from '@iodine/reports'
import { createThreads } from '@iodine/service-kit'

const TIMEOUT_MS = 120_000

/** A file with its compressed bytes. */
export type RenderedFile = ReportFile & { gzip: Uint8Array }

/** Selects what may be published, and makes its files, in a thread. Rejects with its error, and after two minutes. */
export const renderInThread = createThreads<
  ReportSources,
  { selected: SelectedReport; files: RenderedFile[] }
>(import.meta.url, './render-thread.js', { name: 'the report', ms: TIMEOUT_MS })
