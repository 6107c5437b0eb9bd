import { parentPort } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { LIMITS } from '@iodine/contracts'
import { type ReportFile, type ReportSources, selectReport, toFiles } from '@iodine/reports'

const compress = ({ name, bytes }: ReportFile): Uint8Array => {
  const gzip = gzipSync(bytes, { level: 9 })
  if (gzip.length > LIMITS.reportFileCompressedBytes) throw new RangeError(`${name} is too large`)
  return gzip
}

parentPort?.on('message', (sources: ReportSources) => {
  const selected = selectReport(sources)
  const files = toFiles(selected.content).map(file => ({ ...file, gzip: compress(file) }))
  parentPort?.postMessage({ selected, files })
})
