import { expect, it } from 'vitest'
import { startThread } from '../src/index.js'

it('names the missing file if the package is not built', () => {
  expect(() => startThread('file:///part/src/a/src/start.ts', './work.js')).toThrow(
    '/part/src/a/dist/work.js is missing. Build first: threads run compiled code.',
  )
})
