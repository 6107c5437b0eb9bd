import { startAiProvider } from '@iodine/test-kit'
import { reportPort } from './report.js'

/** The fake AI provider as a process: returns `simple` triplets, each after a random delay of up to `afterMs`. */
const afterMs = Number(process.argv[2])
const { url, always } = await startAiProvider()
always(() => ({ after: Math.random() * afterMs, answer: 'simple' }))
reportPort(url)
