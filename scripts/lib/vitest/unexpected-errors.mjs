/** Setup file: fails a test that calls `console.error` without a spy. */
import { format } from 'node:util'
import { afterEach } from 'vitest'

const printed = []
console.error = (...args) => void printed.push(format(...args))

afterEach(() => {
  const texts = printed.splice(0)
  if (texts.length > 0) throw new Error(`Unexpected call of console.error:\n${texts.join('\n')}`)
})
