import { parentPort, workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import type { ReportContent } from '@iodine/contracts'
import { toFiles } from '@iodine/reports'

const files = toFiles(workerData as ReportContent)
parentPort?.postMessage(files.map(file => ({ ...file, gzip: gzipSync(file.bytes, { level: 9 }) })))
