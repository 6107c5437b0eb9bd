import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRunningImports } from '../src/imports/commands/running-imports.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('delays the work of a user from a batch of an import until its last batch', () => {
  const running = createRunningImports()
  expect(running.delayOf('ana')).toBe(0)
  running.note('ana', false)
  expect(running.delayOf('ana')).toBeGreaterThan(0)
  expect(running.delayOf('ben')).toBe(0)
  running.note('ana', true)
  expect(running.delayOf('ana')).toBe(0)
})

it('ends the delay of an import that pauses', () => {
  const running = createRunningImports()
  running.note('ana', false)
  vi.advanceTimersByTime(running.delayOf('ana'))
  expect(running.delayOf('ana')).toBe(0)
})

it('delays the work by two minutes at most', () => {
  const running = createRunningImports()
  for (let seconds = 0; seconds < 120; seconds++) {
    running.note('ana', false)
    expect(running.delayOf('ana')).toBeGreaterThan(0)
    vi.advanceTimersByTime(1_000)
  }
  running.note('ana', false)
  expect(running.delayOf('ana')).toBe(0)
})

it('delays nothing during the rest of an import once other records have changed', () => {
  const running = createRunningImports()
  running.note('ana', false)
  running.hurry('ana')
  running.note('ana', false)
  expect(running.delayOf('ana')).toBe(0)
})
