import { startAiProvider } from '@iodine/test-kit'
import { reportPort } from './report.js'

/** The AI provider as one process: `simple` triplets, each answer after up to so many milliseconds. */
const afterMs = Number(process.argv[2])
const { url, always } = await startAiProvider()
always(() => ({ after: Math.random() * afterMs, answer: 'simple' }))
reportPort(url)
