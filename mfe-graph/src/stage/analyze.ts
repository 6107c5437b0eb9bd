import { analyzeFile, type FileAnswer, type FileQuestion } from '../model/analyze-file'
import { startWorker } from './start-worker'

/** Analyzes a file in a worker, or where there are none on the page's thread. The file stays in the browser. */
export async function analyze(question: FileQuestion): Promise<FileAnswer> {
  const worker = await startWorker('co-shares')
  if (!worker) return analyzeFile(question)
  try {
    return await new Promise<FileAnswer>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FileAnswer>) => resolve(data)
      worker.onerror = () => reject(new Error('The worker failed'))
      worker.postMessage(question)
    })
  } finally {
    worker.terminate()
  }
}
