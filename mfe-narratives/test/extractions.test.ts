import type { Narrative } from '@iodine/contracts'
import { beforeEach, describe, expect, it } from 'vitest'
import { createExtractions, WAIT_MAX_MS } from '../src/model/extractions'

const KEY = 'test'
const listed = (id: string, text: string): Narrative => ({ id, text, src: null, triplets: [] })

describe('extractions', () => {
  let now = 0
  const create = () => createExtractions(sessionStorage, KEY, () => now)
  beforeEach(() => {
    now = 1_000
    sessionStorage.clear()
  })

  it('recognizes a running extraction by its text and source', () => {
    const extractions = create()
    expect(extractions.start('a', null, [])).not.toBeNull()
    expect(extractions.start('a', null, [])).toBeNull()
    expect(extractions.start('a', '/path', [])).not.toBeNull()
  })

  it('waits for the narrative after a reload, and ignores earlier narratives of the same text', () => {
    create().start('a', null, [listed('old', 'a')])
    const reloaded = create()
    expect(reloaded.getState()).toMatchObject([{ text: 'a', phase: 'waiting' }])
    expect(reloaded.settle([listed('old', 'a')])).toEqual([])
    expect(reloaded.settle([listed('new', 'a'), listed('old', 'a')])).toMatchObject([
      { narrative: { id: 'new' } },
    ])
    expect(reloaded.getState()).toEqual([])
    expect(sessionStorage.getItem(KEY)).toBeNull()
  })

  it('leaves a running extraction to its request', () => {
    const extractions = create()
    extractions.start('a', null, [])
    expect(extractions.settle([listed('new', 'a')])).toEqual([])
  })

  it('gives up after the maximum wait, and allows a retry', () => {
    const extractions = create()
    const first = extractions.start('a', null, [])
    if (first) extractions.wait(first)
    now += WAIT_MAX_MS + 1
    extractions.settle([])
    expect(extractions.getState()).toMatchObject([{ phase: 'overdue' }])
    expect(extractions.start('a', null, [])).not.toBeNull()
    expect(extractions.getState()).toHaveLength(1)
  })

  it('starts empty if the stored state is invalid', () => {
    sessionStorage.setItem(KEY, '{')
    expect(create().getState()).toEqual([])
  })
})
