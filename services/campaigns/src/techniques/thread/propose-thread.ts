import { parentPort } from 'node:worker_threads'
import { proposeTechniques } from '@iodine/exchange/disarm'

/** Message to the thread. */
export interface ProposalInput {
  sentences: readonly string[]
  limit: number
}

parentPort?.on('message', ({ sentences, limit }: ProposalInput) =>
  parentPort?.postMessage(proposeTechniques(sentences, { limit })),
)
