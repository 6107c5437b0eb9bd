import { analyzeFile, type FileQuestion } from '../model/analyze-file'

const worker = self as unknown as Pick<Worker, 'postMessage' | 'onmessage'>

worker.postMessage({ type: 'ready' })
worker.onmessage = ({ data }: MessageEvent<FileQuestion>) => worker.postMessage(analyzeFile(data))
