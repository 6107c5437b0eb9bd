import { formatSpan } from '@iodine/mfe-kit'
import { csvParse } from 'd3'
import { describe, expect, it } from 'vitest'
import { sightingsCsv } from '../src/model/export'
import { AXIS_HEIGHT, axisLabels, LANE_HEIGHT, markAt, scaleOf, shapeOf } from '../src/model/painter'
import { readCriteria, toBody, toSearchParams, WORDS_MAX, watchedBy } from '../src/model/search-criteria'
import { describeDistance, describeEdge, joinPages, KINDS, kindOf } from '../src/model/sightings'
import {
  clampSpan,
  countParts,
  layTimeline,
  moveSelection,
  moveSpan,
  spanWith,
  zoomSpan,
} from '../src/model/timeline'
import { idOf, results, sighting } from './fixtures'

const read = (search: string) => readCriteria(new URLSearchParams(search))

describe('the search in a URL', () => {
  it('is read from the URL and written back unchanged', () => {
    const address = 'text=a+%E2%80%AE+b&scope=shared&since=2026-03-01T10%3A00&until=2026-03-02T10%3A00%3A30'
    const criteria = read(address)
    expect(criteria && new URLSearchParams(toSearchParams(criteria)).toString()).toBe(address)
  })

  it('is watched as an IOD, a URL, a term of few words, or a text', () => {
    const watched = (search: string) => {
      const criteria = read(search)
      return criteria && watchedBy(criteria)
    }
    expect(watched(`iod=${idOf(1)}`)).toEqual({ kind: 'iod', subject_id: idOf(1) })
    expect(watched('value=https://example.org/a')).toEqual({ kind: 'url', text: 'https://example.org/a' })
    expect(watched('value=the+lake')).toEqual({ kind: 'term', text: 'the lake' })
    expect(watched('text=mirrors+heat+the+lake+here')).toEqual({
      kind: 'text',
      text: 'mirrors heat the lake here',
    })
    expect(watched(`record=${idOf(1)}`)).toBeNull()
    expect(watched(`value=${'a'.repeat(64)}`)).toBeNull()
  })

  it('is null without a text or with a malformed id, and omits malformed times', () => {
    expect(read('')).toBeNull()
    expect(read('value=%20')).toBeNull()
    expect(read('record=nobody')).toBeNull()
    expect(read('value=a&since=yesterday&until=2026-99-99T00:00&scope=all')).toEqual({
      by: 'value',
      words: 'a',
      scope: 'own',
      since: '',
      until: '',
    })
  })

  it('limits the length of the text', () => {
    expect(read(`text=${'a'.repeat(5_000)}`)?.words).toHaveLength(WORDS_MAX)
  })

  it('becomes a request body, with times in UTC', () => {
    const criteria = { words: idOf(1), scope: 'own', since: '2026-03-01T10:00', until: '' } as const
    expect(toBody({ ...criteria, by: 'record' })).toEqual({
      record_id: idOf(1),
      scope: 'own',
      since: '2026-03-01T10:00:00Z',
    })
    expect(toBody({ ...criteria, by: 'iod' }, 'the value')).toMatchObject({ value: 'the value' })
    expect(toBody({ ...criteria, by: 'url', words: 'https://a.example' })).toMatchObject({
      url: 'https://a.example',
    })
  })
})

describe('occurrences', () => {
  it('have the shape of their strongest match, which is unique per kind', () => {
    expect(kindOf(['reworded', 'link', 'near'])).toBe('near')
    expect(kindOf(['exact', 'forward'])).toBe('forward')
    expect(new Set(KINDS.map(kind => shapeOf(kind))).size).toBe(KINDS.length)
  })

  it('are merged without duplicates from several pages', () => {
    const edge = { from: idOf(1), to: idOf(2), how: 'copy', delta_s: 3_600 } as const
    const found = joinPages([
      results([sighting(1), sighting(2)], { edges: [edge] }),
      results([sighting(2), sighting(3)], { edges: [edge] }),
    ])
    expect(found?.items.map(({ id }) => id)).toEqual([1, 2, 3].map(idOf))
    expect(found?.edges).toEqual([edge])
    expect(found?.edgesTo.get(idOf(2))).toEqual([edge])
  })

  it('call a copy seen earlier, and never copied', () => {
    const edge = { from: idOf(1), to: idOf(2), delta_s: 12 }
    expect(describeEdge({ ...edge, how: 'copy' }, sighting(1))).toBe('Seen earlier: account_1, 12 s before')
    expect(describeEdge({ ...edge, how: 'forward' }, undefined)).toBe(
      'Forwarded from another account, according to the page',
    )
    expect(describeEdge({ ...edge, delta_s: null, how: 'copy' }, sighting(1))).toBe('Seen earlier: account_1')
    expect([1, 150, 7_300, 180_000].map(formatSpan)).toEqual(['1 s', '2.5 min', '2 h', '2.1 days'])
  })

  it('have a distance to the earliest only by claimed times, because a time of collection is an upper bound', () => {
    const [claimed, bound] = [sighting(1), sighting(1, { posted_claimed: false })]
    expect(describeDistance(claimed, sighting(2))).toBe('60 min after the earliest')
    expect(describeDistance(claimed, sighting(1))).toBe('At the same time as the earliest')
    expect(describeDistance(bound, sighting(2))).toBe('60 min or more after the earliest')
    expect(describeDistance(claimed, sighting(2, { posted_claimed: false }))).toBe(
      'Only its collection time is known',
    )
  })

  it('are exported as CSV with both times, without spreadsheet formulas', () => {
    const found = joinPages([
      results([
        sighting(1, { account: '=cmd()', excerpt: 'a "b",\nc', posted_claimed: false, posted_at: null }),
        sighting(2, { own: false, shared: 'anonymous' }),
      ]),
    ])
    const [first, second] = csvParse(found ? sightingsCsv(found).slice(1) : '')
    expect(first).toMatchObject({
      account: "'=cmd()",
      text: 'a "b",\nc',
      at_is: 'upper bound (collected)',
      words_shared: '',
      posted_at_claimed: '',
      collected_at: '2026-03-09T00:00:00.000Z',
    })
    expect(second).toMatchObject({ at_is: 'claimed', shared_by: 'anonymous' })
  })
})

describe('the timeline', () => {
  const items = [
    sighting(1, { account: 'Ana' }),
    sighting(2, { account: 'ben' }),
    sighting(3, { account: 'ANA' }),
    sighting(4, { account: 'ana', source: 'tiktok' }),
    sighting(5, { account: 'ben' }),
  ]
  const timeline = layTimeline(items)

  it('has a lane per account and source, ordered by first occurrence', () => {
    expect(timeline.lanes.map(({ name, marks }) => [name, marks])).toEqual([
      ['Ana', [0, 2]],
      ['ben', [1, 4]],
      ['ana', [3]],
    ])
  })

  it('has a span for one occurrence and for none', () => {
    const one = layTimeline([sighting(1)])
    expect(one.fullSpan[1]).toBeGreaterThan(one.fullSpan[0])
    expect(layTimeline([]).marks).toEqual([])
  })

  it('limits zooming and moving to the full span', () => {
    const { fullSpan } = timeline
    const about = timeline.marks[1]?.at ?? 0
    const near = zoomSpan(fullSpan, 0.5, about, fullSpan)
    expect(near[1] - near[0]).toBeCloseTo((fullSpan[1] - fullSpan[0]) / 2)
    expect(near[0] <= about && about <= near[1]).toBe(true)
    expect(zoomSpan(near, 4, about, fullSpan)).toBe(fullSpan)
    expect(moveSpan(near, 100, fullSpan)[1]).toBe(fullSpan[1])
    expect(clampSpan([about, about], fullSpan)[1]).toBe(about + 1_000)
    expect(spanWith(near, about, fullSpan)).toBe(near)
    const last = timeline.marks.at(-1)?.at ?? 0
    const moved = spanWith([fullSpan[0], fullSpan[0] + 5_000], last, fullSpan)
    expect(moved[0] <= last && last <= moved[1]).toBe(true)
  })

  it('moves the selection by time and by lane', () => {
    const move = (from: number, key: Parameters<typeof moveSelection>[2]) =>
      moveSelection(timeline, from, key)
    expect(move(-1, 'ArrowRight')).toBe(0)
    expect(move(0, 'ArrowLeft')).toBe(0)
    expect(move(2, 'ArrowRight')).toBe(3)
    expect(move(2, 'ArrowDown')).toBe(1)
    expect(move(0, 'ArrowUp')).toBe(0)
    expect(move(1, 'End')).toBe(4)
    expect(moveSelection(layTimeline([]), -1, 'End')).toBe(-1)
  })

  it('counts all marks in its parts', () => {
    const parts = countParts(timeline, timeline.fullSpan, 4)
    expect(parts.reduce((sum, count) => sum + count)).toBe(items.length)
  })

  it('begins the axis with the full date', () => {
    const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 2, day, hour))
    expect(axisLabels([at(3), at(4), at(5)])).toEqual(['Mar 3, 2026', 'Mar 4', 'Mar 5'])
    expect(axisLabels([at(3, 12), at(3, 18), at(4)])).toEqual(['Mar 3, 2026', '18:00', 'Mar 4'])
    expect(axisLabels([new Date('2025-12-31'), new Date('2026-01-01')])).toEqual([
      'Dec 31, 2025',
      'Jan 1, 2026',
    ])
    expect(axisLabels([new Date('2025-12-01'), new Date('2026-01-01')])).toEqual(['Dec 2025', 'Jan 2026'])
  })

  it('finds the mark at a position', () => {
    const view = {
      width: 800,
      height: 400,
      gutter: 100,
      span: timeline.fullSpan,
      scroll: 0,
      selected: -1,
      hovered: -1,
    }
    const x = scaleOf(view)(timeline.marks[1]?.at ?? 0)
    const y = AXIS_HEIGHT + LANE_HEIGHT * 1.5
    expect(markAt(timeline, view, x + 5, y)).toBe(1)
    expect(markAt(timeline, view, x + 40, y)).toBe(-1)
    expect(markAt(timeline, view, 50, y)).toBe(-1)
    expect(markAt(timeline, { ...view, scroll: LANE_HEIGHT }, x, y)).toBe(-1)
  })
})
