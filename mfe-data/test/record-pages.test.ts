import { expect, test } from 'vitest'
import { flattenPages, replaceFirstPage, withoutRecord } from '../src/model/record-pages'

const page = (ids: string, nextCursor: string | null, total = 9) => ({
  items: [...ids].map(id => ({ id })),
  total,
  nextCursor,
})
const ids = (pages: Parameters<typeof flattenPages>[0]) =>
  flattenPages(pages)
    .map(({ id }) => id)
    .join('')

test('a first page read again keeps the rest where it reaches into it', () => {
  const pages = [page('gfe', 'e'), page('dcb', 'b')]
  const afterDelete = replaceFirstPage(withoutRecord(pages, 'f'), page('ged', 'd', 8))
  expect(ids(afterDelete)).toBe('gedcb')
  expect(afterDelete.at(-1)?.nextCursor).toBe('b')
  expect(afterDelete[0]?.total).toBe(8)
  expect(ids(replaceFirstPage(pages, page('ihg', 'g')))).toBe('ihgfedcb')
})

test('a first page beyond all that is known stands alone', () => {
  const pages = replaceFirstPage([page('gfe', 'e'), page('dcb', 'b')], page('zyx', 'x'))
  expect([ids(pages), pages.at(-1)?.nextCursor]).toEqual(['zyx', 'x'])
  expect(ids(replaceFirstPage([], page('abc', null)))).toBe('abc')
})
