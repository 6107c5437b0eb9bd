import { describe, expect, it } from 'vitest'
import { excerptOf, firstWords, lastWords } from '../src/index.js'

describe('excerpts', () => {
  it('begin and end with whole words, with an ellipsis for omitted text', () => {
    const text = 'The laboratory published the analysis yesterday'
    expect(firstWords(text, 20)).toBe('The laboratory')
    expect(firstWords(text, 14)).toBe('The laboratory')
    expect(lastWords(text, 20)).toBe('analysis yesterday')
    expect(lastWords(text, 18)).toBe('analysis yesterday')
    expect(excerptOf(text, 20)).toBe('The laboratory…')
    expect([firstWords(text, 99), lastWords(text, 99), excerptOf(text, 47)]).toEqual([text, text, text])
  })

  it('cut long words and scripts without spaces between characters', () => {
    expect(firstWords('a'.repeat(9), 4)).toBe('aaaa')
    expect(firstWords('湖水😀温暖', 3)).toBe('湖水')
    expect(lastWords('湖水😀温暖', 3)).toBe('温暖')
    expect(excerptOf('😀😀😀', 4)).toBe('😀…')
  })
})
