import { ApiError } from '@iodine/contracts'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { LoadingPanel, LoadMore, type QueryState, SkeletonCards } from '../src'

const refetch = vi.fn()
const show = (state: Partial<QueryState<string[]>>, errorText?: string) => {
  cleanup()
  const { container } = render(
    <LoadingPanel
      query={{ data: undefined, error: null, isFetching: false, refetch, ...state }}
      errorTitle="Unable to load"
      errorText={errorText}
      isEmpty={names => names.length === 0}
      empty="Nobody"
    >
      {names => <p>{names.join()}</p>}
    </LoadingPanel>,
  )
  return container.textContent
}

test('shows the spinner, then the content or the empty state', async () => {
  show({ isFetching: true })
  expect(await screen.findByText('Loading...')).toBeTruthy()
  expect(show({ data: ['ada', 'bo'] })).toBe('ada,bo')
  expect(show({ data: [] })).toBe('Nobody')
  expect(show({ data: ['ada'], isFetching: true })).toBe('ada')
})

test('shows the skeleton below the spinner, hidden from assistive technology', async () => {
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

test('shows the error if there is no data, and Retry refetches', () => {
  expect(show({ error: new Error('503') }, 'Not now')).toBe('Unable to loadNot nowRetry')
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
  expect(refetch).toHaveBeenCalledOnce()
})

test('falls back to the server’s detail or to advice if the error has no text', () => {
  expect(show({ error: new ApiError(503, 'Not now') })).toBe('Unable to loadNot nowRetry')
  expect(show({ error: new Error('reset') })).toBe(
    'Unable to loadCheck your connection, then try again.Retry',
  )
})

test('shows the error of a refetch above the content, which stays', () => {
  expect(show({ data: ['ada'], error: new ApiError(503, 'Not now') })).toBe('Unable to loadNot nowRetryada')
})

test('marks English texts as English inside French content', () => {
  const query = { data: undefined, isFetching: false, refetch, error: new ApiError(503, 'Not now') }
  render(<LoadingPanel query={query} errorTitle="Impossible de charger" />, {
    container: Object.assign(document.body.appendChild(document.createElement('div')), { lang: 'fr' }),
  })
  const langOf = (text: string) => screen.getByText(text).closest('[lang]')?.getAttribute('lang')
  expect(['Impossible de charger', 'Not now', 'Retry'].map(langOf)).toEqual(['fr', 'en', 'en'])
})

test('shows no error for a 401, because the host leaves the page', () => {
  show({ error: new ApiError(401, null) })
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.getByRole('status')).toBeTruthy()
})

test('offers the next page until the end of the list, and shows why loading it failed', () => {
  const fetchNextPage = vi.fn()
  const state = { hasNextPage: true, isFetchingNextPage: false, fetchNextPage }
  const { rerender } = render(<LoadMore query={state} text="More" />)
  const button = screen.getByRole('button', { name: 'More' })
  button.focus()
  fireEvent.click(button)
  expect(fetchNextPage).toHaveBeenCalledOnce()
  rerender(<LoadMore query={{ ...state, nextPageError: new ApiError(503, 'Not now') }} text="More" />)
  expect(screen.getByRole('alert').textContent).toBe('Unable to load moreNot now')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Retry' }))
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
  expect(fetchNextPage).toHaveBeenCalledTimes(2)
  rerender(
    <LoadMore query={{ ...state, nextPageError: new ApiError(401, 'Not authenticated') }} text="More" />,
  )
  expect(screen.queryByRole('alert')).toBeNull()
  rerender(<LoadMore query={{ ...state, hasNextPage: false }} text="More" />)
  expect(screen.queryByRole('button')).toBeNull()
})
