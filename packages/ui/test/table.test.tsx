import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { type CardColumn, Table, TableSkeleton, useVirtualRows, VirtualTable } from '../src/table'

// happy-dom has no layout: the frame needs a fixed size.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 400 })

const ROW_HEIGHT = 40
const HEIGHTS = { row: ROW_HEIGHT, card: 120 }
const items = Array.from({ length: 1_000 }, (_, n) => ({ id: `id ${n}`, text: `item ${n}` }))

const COLUMNS: readonly CardColumn<(typeof items)[number]>[] = [
  { name: 'Text', area: 'text', cell: ({ text }) => text },
  { name: 'Id', width: 100, area: 'id', isNamed: true, cell: ({ id }) => id },
]

function Items({ total }: { total?: number | null }) {
  return (
    <VirtualTable
      rows={useVirtualRows(items, HEIGHTS)}
      label="Items"
      columns={COLUMNS}
      minWidth={500}
      cardTemplate='"text id"'
      {...(total !== undefined && { total })}
      footer="the end"
    />
  )
}
const drawn = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map(row => [row.getAttribute('aria-rowindex'), row.firstElementChild?.textContent])
const spacers = () =>
  [...document.querySelectorAll<HTMLElement>('tr[aria-hidden] td')].map(cell =>
    Number.parseInt(cell.style.height, 10),
  )

test('renders only the rows in view, at their positions, with spacers for the others', async () => {
  render(<Items total={5_000} />)
  await screen.findByText('item 0')
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('5001')
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Text', 'Id'])
  expect(drawn()[0]).toEqual(['2', 'item 0'])
  const few = drawn().length
  expect(few).toBeGreaterThan(9)
  expect(few).toBeLessThan(30)
  expect(spacers()).toEqual([(items.length - few) * ROW_HEIGHT])

  const frame = screen.getByRole('region', { name: 'Items' })
  frame.scrollTop = 500 * ROW_HEIGHT
  fireEvent.scroll(frame)
  expect(drawn()).toContainEqual(['502', 'item 500'])
  expect(drawn()).not.toContainEqual(['2', 'item 0'])
  expect(spacers().reduce((sum, height) => sum + height) + drawn().length * ROW_HEIGHT).toBe(
    items.length * ROW_HEIGHT,
  )
})

test('exposes an unknown number of rows as -1', () => {
  render(<Items total={null} />)
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('-1')
})

test('gives a short table explicit roles, which hold in any layout', () => {
  render(<Table items={items.slice(0, 2)} label="Few" columns={COLUMNS} minWidth={500} />)
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('3')
  expect(drawn()).toEqual([
    ['2', 'item 0'],
    ['3', 'item 1'],
  ])
  const parts = [...document.querySelectorAll('table, thead, tbody, tr, th, td')]
  expect(parts.filter(part => !part.hasAttribute('role'))).toEqual([])
  expect(screen.getAllByRole('cell').map(cell => cell.getAttribute('data-name'))).toEqual([
    null,
    'Id',
    null,
    'Id',
  ])
})

test('renders blank rows while the rows load', async () => {
  render(<TableSkeleton columns={COLUMNS} heights={HEIGHTS} />)
  await waitFor(() => expect(document.querySelector('thead')).not.toBeNull())
  expect(document.querySelectorAll('tbody .bp6-skeleton').length).toBeGreaterThan(4)
  expect(screen.queryByRole('row')).toBeNull()
})
