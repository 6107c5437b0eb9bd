import { expect, it } from 'vitest'
import { analyzedText, readAnalyzed } from '../src/model/analyzed'

const read = (search: string) => readAnalyzed(new URLSearchParams(search))

it('reads and describes the filters of a link from Analytics', () => {
  const filters = read(
    'from=2026-11-01&to=2026-11-03&zone=Europe/Paris&weekday=6&hour=9&account=ada&age=day&novelty=known&reach=3',
  )
  expect(filters).toMatchObject({ from: '2026-11-01', weekday: 6, novelty: 'known', reach: '3' })
  expect(analyzedText(filters)).toBe(
    'collected 2026-11-01 to 2026-11-03 (Europe/Paris) · posted on a Sunday · at 09:00–09:59 · account ada · age when collected: day · with an IOD known when collected · plays or views with 3 digits',
  )
  expect(analyzedText(read('novelty=new'))).toBe('without an IOD known when collected')
  expect(analyzedText({})).toBe('')
})

it('ignores invalid filters', () => {
  expect(
    read('from=2026-02-30&zone=Mars/Base&weekday=7&hour=x&age=old&novelty=no&reach=11&account='),
  ).toEqual({})
})
