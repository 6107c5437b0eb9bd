import { newIod } from '@iodine/contracts'
import { ruleTriplets } from '@iodine/offline-ai/triplets'
import { describe, expect, it } from 'vitest'
import { demoAccounts, demoCampaigns, demoIods, demoNarratives } from '../src/index.js'

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
})
