import { parentPort, workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { type ReportSources, selectReport, toFiles } from '@iodine/reports'

const selected = selectReport(workerData as ReportSources)
const files = toFiles(selected.content)
parentPort?.postMessage({
  selected,
  files: files.map(file => ({ ...file, gzip: gzipSync(file.bytes, { level: 9 }) })),
})
