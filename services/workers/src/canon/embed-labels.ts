import { DIMENSIONS } from '@iodine/canon'
import { traced } from '@iodine/service-kit'
import type OpenAI from 'openai'
import { mapAtOnce } from '../at-once.js'
import { createAiClient, failureOf, ProviderFailure } from '../extraction/provider.js'

/** Labels per call. */
const BATCH = 512
const CALLS_AT_ONCE = 3
/** Timeout for all labels of a user. */
const TIMEOUT_MS = 60_000
/** Maximum bytes of a response: decimal numbers, with reserve. */
const ANSWER_BYTES_MAX = BATCH * DIMENSIONS * 32

/** Converts a vector to int8, scaled to its greatest number. Throws ProviderFailure for another length. */
const quantized = (numbers: unknown): Int8Array => {
  if (!Array.isArray(numbers) || numbers.length !== DIMENSIONS || !numbers.every(Number.isFinite))
    throw new ProviderFailure('provider_failed')
  const most = numbers.reduce((max: number, number: number) => Math.max(max, Math.abs(number)), 0)
  return Int8Array.from(numbers, number => Math.round((number / (most || 1)) * 127))
}

/** Creates the client that requests vectors of labels from an AI provider, `POST /embeddings`. */
export const createEmbedder = (options: { baseUrl: string; model: string; timeoutMs?: number }) => {
  const { baseUrl: baseURL, model, timeoutMs: timeout = TIMEOUT_MS } = options
  /**
   * Returns the vectors of labels, 256 numbers each as int8. Sends only the labels. Throws ProviderFailure, also if one
   * response is invalid.
   */
  return async (apiKey: string, labels: readonly string[]): Promise<Map<string, Int8Array>> => {
    const client = createAiClient({ apiKey, baseURL, timeout, bytesMax: ANSWER_BYTES_MAX })
    const late = AbortSignal.timeout(timeout)
    const vectors = new Map<string, Int8Array>()
    const embed = async (batch: string[], signal: AbortSignal) => {
      let answer: OpenAI.CreateEmbeddingResponse
      try {
        answer = await traced('ai embeddings', { 'gen_ai.request.model': model }, () =>
          client.embeddings.create(
            { model, input: batch, dimensions: DIMENSIONS, encoding_format: 'float' },
            { signal },
          ),
        )
      } catch (error) {
        throw late.aborted ? new ProviderFailure('provider_failed') : failureOf(error)
      }
      const data = Array.isArray(answer?.data) ? answer.data : []
      if (data.length !== batch.length) throw new ProviderFailure('provider_failed')
      for (const [at, item] of data.entries()) {
        const label = batch[item?.index ?? at]
        if (label === undefined) throw new ProviderFailure('provider_failed')
        vectors.set(label, quantized(item?.embedding))
      }
    }
    const batches = Array.from({ length: Math.ceil(labels.length / BATCH) }, (_, n) =>
      labels.slice(n * BATCH, (n + 1) * BATCH),
    )
    await mapAtOnce(batches, CALLS_AT_ONCE, late, embed)
    return vectors
  }
}
