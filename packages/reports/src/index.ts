export { PAGE_CSP } from './document.js'
export { differingFiles, type ReportFile, toFiles } from './files.js'
export { toMarkdown } from './markdown.js'
export {
  type ErrorNote,
  type ListedReport,
  type PageErrorStatus,
  toErrorPage,
  toIndexPage,
  toReportFeed,
} from './other-pages.js'
export { NO_NOTICES, toPage } from './page.js'
export { type ReportSources, type SelectedReport, selectReport } from './select.js'
export { STYLE } from './style.js'
export { defang, defangText } from './text.js'
