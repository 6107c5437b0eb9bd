import { newIod } from '@iodine/contracts'
import { sentencesOf } from '@iodine/evidence'
import { findTechnique, proposeTechniques } from '@iodine/exchange/disarm'
import { ruleTriplets } from '@iodine/offline-ai/triplets'
import { describe, expect, it } from 'vitest'
import { demoAccounts, demoCampaigns, demoIods, demoNarratives } from '../src/index.js'
import { EARLIER, NOTE } from '../src/techniques.js'

describe('the demo’s texts and IODs', () => {
  it('contain at least two triplets each for the rules of the offline provider', () => {
    expect(demoNarratives.length).toBeGreaterThanOrEqual(25)
    const poor = demoNarratives.filter(({ text }) => ruleTriplets(text).length < 2)
    expect(poor.map(({ text }) => [text, ruleTriplets(text)])).toEqual([])
    expect(demoNarratives.every(({ by }) => demoAccounts[by])).toBe(true)
  })

  it('are valid and distinct IODs, enough for every campaign', () => {
    expect(demoIods.length).toBeGreaterThanOrEqual(60)
    for (const { story: _, ...iod } of demoIods) expect(newIod.safeParse(iod).error).toBeUndefined()
    expect(new Set(demoIods.map(({ category, value }) => `${category} ${value.toLowerCase()}`)).size).toBe(
      demoIods.length,
    )
    expect(demoCampaigns).toHaveLength(4)
    for (const { includes } of demoCampaigns) expect(demoIods.filter(includes).length).toBeGreaterThan(5)
  })

  it('name current techniques, one obsolete one, and those that the rules propose for the note', () => {
    const used = demoCampaigns.flatMap(({ techniques }) => techniques)
    expect(used.filter(tid => findTechnique(tid)?.until !== null)).toEqual([])
    expect(findTechnique(EARLIER.technique)?.until).toBe('1.5')
    const sentences = sentencesOf(NOTE.text).map(({ start, end }) => NOTE.text.slice(start, end))
    const proposed = proposeTechniques(sentences).map(({ tid }) => tid)
    expect(proposed).toEqual(expect.arrayContaining(NOTE.accepted))
    const names = demoCampaigns.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([NOTE.campaign, EARLIER.campaign]))
  })
})
