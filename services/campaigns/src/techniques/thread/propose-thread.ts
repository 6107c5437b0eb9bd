import { parentPort, workerData } from 'node:worker_threads'
import { proposeTechniques } from '@iodine/exchange/disarm'

/** Data of the thread. */
export interface ProposalInput {
  sentences: readonly string[]
  limit: number
}

const { sentences, limit } = workerData as ProposalInput
parentPort?.postMessage(proposeTechniques(sentences, { limit }))
