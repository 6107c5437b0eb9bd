import { expect, test } from 'vitest'
import { flattenPages, replaceFirstPage, type SlotPage, withoutRecords } from '../src/model/record-pages'

/** Creates a page of records named by letters. Its cursor is the last record before it. */
const page = (ids: string, cursor: string | null, nextCursor: string | null, total = 9): SlotPage => ({
  slots: [...ids].map(id => ({ id, cursor })),
  total,
  nextCursor,
})
const ids = (pages: SlotPage[]) =>
  flattenPages(pages)
    .map(({ id }) => id)
    .join('')

test('keeps the later slots if the new first page overlaps the list', () => {
  const pages = [page('gfe', null, 'e'), page('dcb', 'e', 'b')]
  const afterDelete = replaceFirstPage(withoutRecords(pages, ['f']), page('ged', null, 'd', 8))
  expect(ids(afterDelete)).toBe('gedcb')
  expect(afterDelete.at(-1)?.nextCursor).toBe('b')
  expect(afterDelete[0]?.total).toBe(8)
  expect(afterDelete[1]?.slots.map(({ cursor }) => cursor)).toEqual(['e', 'e'])
})

test('assigns records moved out of the first page to the next cursor', () => {
  const pages = [page('gfe', null, 'e'), page('dcb', 'e', 'b')]
  const grown = replaceFirstPage(pages, page('ihg', null, 'g'))
  expect(ids(grown)).toBe('ihgfedcb')
  expect(grown[1]?.slots).toEqual([
    { id: 'f', cursor: 'g' },
    { id: 'e', cursor: 'g' },
    { id: 'd', cursor: 'e' },
    { id: 'c', cursor: 'e' },
    { id: 'b', cursor: 'e' },
  ])
  expect(ids(replaceFirstPage([page('gfe', null, 'e')], page('hgf', null, 'f')))).toBe('hgfe')
})

test('keeps only the new first page if it does not overlap the list, or is the last page', () => {
  const pages = [page('gfe', null, 'e'), page('dcb', 'e', 'b')]
  const far = replaceFirstPage(pages, page('zyx', null, 'x'))
  expect([ids(far), far.at(-1)?.nextCursor]).toEqual(['zyx', 'x'])
  expect(ids(replaceFirstPage(pages, page('ge', null, null, 2)))).toBe('ge')
  expect(ids(replaceFirstPage([], page('abc', null, null)))).toBe('abc')
})

test('removes deleted records from all pages', () => {
  const pages = [page('gfe', null, 'e'), page('edc', 'e', null)]
  const without = withoutRecords(pages, ['e'])
  expect([ids(without), without[0]?.total]).toEqual(['gfdc', 8])
  // The server's new count takes precedence.
  expect(withoutRecords(pages, ['e'], 9)[0]?.total).toBe(9)
})
