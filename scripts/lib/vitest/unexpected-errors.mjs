/** Run before each test file: a test fails that prints an error by `console.error` without expecting it, by a spy of its own. */
import { format } from 'node:util'
import { afterEach } from 'vitest'

const printed = []
console.error = (...args) => void printed.push(format(...args))

afterEach(() => {
  const texts = printed.splice(0)
  if (texts.length > 0)
    throw new Error(`console.error was called, which nobody expected:\n${texts.join('\n')}`)
})
