import { ApiError } from '@iodine/contracts'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { LoadingPanel, LoadMore, type QueryState, SkeletonCards } from '../src'

const refetch = vi.fn()
const show = (state: Partial<QueryState<string[]>>, whenStale?: 'content' | 'error' | 'both') => {
  cleanup()
  render(
    <LoadingPanel
      query={{ data: undefined, error: null, isFetching: false, refetch, ...state }}
      errorTitle="Unable to load"
      errorText="Not now"
      isEmpty={names => names.length === 0}
      empty="Nobody"
      {...(whenStale && { whenStale })}
    >
      {names => <p>{names.join()}</p>}
    </LoadingPanel>,
  )
  return document.body.textContent
}

test('loads, then shows the content, or what stands for nothing', async () => {
  show({ isFetching: true })
  expect(await screen.findByText('Loading...')).toBeTruthy()
  expect(show({ data: ['ada', 'bo'] })).toBe('ada,bo')
  expect(show({ data: [] })).toBe('Nobody')
  expect(show({ data: ['ada'], isFetching: true })).toBe('ada')
})

test('what the content will look like stands below the spinner, hidden from assistive technology', async () => {
  render(
    <LoadingPanel
      query={{ data: undefined, error: null, isFetching: true, refetch }}
      errorTitle="Unable to load"
      skeleton={<SkeletonCards count={3} className="outlines" />}
    />,
  )
  expect(await screen.findByText('Loading...')).toBeTruthy()
  const outlines = document.querySelector('.outlines')
  expect(outlines?.children).toHaveLength(3)
  expect(outlines?.getAttribute('aria-hidden')).toBe('true')
})

test('an error without data says what failed, and Retry reads again', () => {
  expect(show({ error: new Error('503') })).toBe('Unable to loadNot nowRetry')
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
  expect(refetch).toHaveBeenCalledOnce()
})

test('an error when loading again leaves the content, or takes its place, or stands above it', () => {
  const stale = { data: ['ada'], error: new Error('503') }
  expect(show(stale)).toBe('ada')
  expect(show(stale, 'error')).toBe('Unable to loadNot nowRetry')
  expect(show(stale, 'both')).toBe('Unable to loadNot nowRetryada')
})

test('a 401 shows no error: the host leaves the page', () => {
  show({ error: new ApiError(401, null) })
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.getByRole('status')).toBeTruthy()
})

test('a list offers its next page until its end', () => {
  const fetchNextPage = vi.fn()
  const state = { hasNextPage: true, isFetchingNextPage: false, fetchNextPage }
  const { rerender } = render(<LoadMore query={state} text="More" />)
  fireEvent.click(screen.getByRole('button', { name: 'More' }))
  expect(fetchNextPage).toHaveBeenCalledOnce()
  rerender(<LoadMore query={{ ...state, hasNextPage: false }} text="More" />)
  expect(screen.queryByRole('button')).toBeNull()
})
