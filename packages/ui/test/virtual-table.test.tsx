import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { useVirtualRows, VirtualTable } from '../src/virtual-table'

// happy-dom has no layout: the frame needs a fixed size.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 400 })

const ROW_HEIGHT = 40
const items = Array.from({ length: 1_000 }, (_, n) => ({ id: `id ${n}`, text: `item ${n}` }))

function Items({ total }: { total?: number | null }) {
  return (
    <VirtualTable
      rows={useVirtualRows(items, ROW_HEIGHT)}
      label="Items"
      columns={[{ name: 'Text' }, { name: 'Id', width: 100 }]}
      minWidth={500}
      {...(total !== undefined && { total })}
      footer="the end"
    >
      {({ id, text }, rowIndex) => (
        <tr key={id} aria-rowindex={rowIndex}>
          <td>{text}</td>
          <td>{id}</td>
        </tr>
      )}
    </VirtualTable>
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

test('rows in sight are drawn, in their places; the others leave room', async () => {
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

test('a number of rows that is not known is told as such', () => {
  render(<Items total={null} />)
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('-1')
})
