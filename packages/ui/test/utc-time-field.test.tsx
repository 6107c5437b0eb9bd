import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { UtcTimeField } from '../src/index'

it('repeats the chosen time as year, month and day, or shows why it is rejected', () => {
  const field = (value: string, error?: string) => (
    <UtcTimeField id="since" label="Since" value={value} onValueChange={vi.fn()} error={error} />
  )
  const { rerender } = render(field(''))
  expect(screen.getByLabelText('Since (UTC)').parentElement?.parentElement?.textContent).toBe('')
  rerender(field('2026-03-04T23:30'))
  screen.getByText('2026-03-04 23:30 UTC')
  rerender(field('2026-03-04T23:30', 'Must be after Since'))
  screen.getByText('Must be after Since')
  expect(screen.queryByText(/2026-03-04/)).toBeNull()
})
