/** Setup file: a test fails if it calls `console.error` without a spy of its own on it. */
import { format } from 'node:util'
import { afterEach } from 'vitest'

const printed = []
console.error = (...args) => void printed.push(format(...args))

afterEach(() => {
  const texts = printed.splice(0)
  if (texts.length > 0)
    throw new Error(`console.error was called, which nobody expected:\n${texts.join('\n')}`)
})
