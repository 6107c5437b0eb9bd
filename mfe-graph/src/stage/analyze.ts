import { analyzeFile, type FileAnalysis, type FileAnalysisInput } from '../model/analyze-file'
import { startWorker } from './start-worker'

/** Analyzes a file in a worker, or on the page's thread if workers are unavailable. The file stays in the browser. */
export async function analyze(input: FileAnalysisInput): Promise<FileAnalysis> {
  const worker = await startWorker('co-shares')
  if (!worker) return analyzeFile(input)
  try {
    return await new Promise<FileAnalysis>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FileAnalysis>) => resolve(data)
      worker.onerror = () => reject(new Error('The worker failed'))
      worker.postMessage(input)
    })
  } finally {
    worker.terminate()
  }
}
