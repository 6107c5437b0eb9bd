import { analyzeFile, type FileAnalysisInput } from '../model/analyze-file'

const worker = self as unknown as Pick<Worker, 'postMessage' | 'onmessage'>

worker.postMessage({ type: 'ready' })
worker.onmessage = ({ data }: MessageEvent<FileAnalysisInput>) => worker.postMessage(analyzeFile(data))
