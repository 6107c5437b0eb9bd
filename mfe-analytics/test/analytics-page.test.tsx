import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { parcel } from '../src/parcel'
import { CAMPAIGNS, IODS, idOf, NARRATIVES, RECORDS, VALUES, VOTES } from './fixtures'

const PATH = '/dashboard/analytics'
const PERIOD = 'from=2026-11-01&to=2026-11-03'
const ROUTES: Routes = {
  'GET /campaigns': [200, []],
  'GET /analytics/iods': [200, IODS],
  'GET /analytics/values': [200, VALUES],
  'GET /analytics/votes': [200, VOTES],
  'GET /analytics/records': [200, RECORDS],
  'GET /analytics/campaigns': [200, CAMPAIGNS],
  'GET /analytics/narratives': [200, NARRATIVES],
}
const open = (search = PERIOD, routes: Routes = {}) =>
  openSection(parcel, PATH, `${PATH}?${search}`, { ...ROUTES, ...routes })
const chart = (name: string) => screen.findByRole('region', { name })
const marksOf = async (name: string) => within(await chart(name)).findAllByRole('link')

describe('a chart', () => {
  it('has marks that open the rows they count', async () => {
    const section = await open()
    const marks = await marksOf('IODs per day')
    expect(marks.map(mark => mark.getAttribute('aria-label'))).toEqual([
      '2026-11-01, URL: 2 IODs',
      '2026-11-01, HASH: 1 IOD',
      '2026-11-03, URL: 6 IODs',
    ])
    fireEvent.click(marks[1] as Element)
    await waitFor(() => expect(section.path()).toBe('/dashboard/iods'))
    expect(section.search()).toBe(`?category=HASH&from=2026-11-01&to=2026-11-01`)
  })

  it('is one stop of the keyboard; arrow keys move between its marks', async () => {
    await open()
    const marks = await marksOf('IODs per day')
    expect(marks.map(mark => mark.getAttribute('tabindex'))).toEqual(['0', '-1', '-1'])
    ;(marks[0] as HTMLElement).focus()
    fireEvent.keyDown(marks[0] as Element, { key: 'End' })
    expect(document.activeElement).toBe(marks[2])
    expect(marks.map(mark => mark.getAttribute('tabindex'))).toEqual(['-1', '-1', '0'])
  })

  it('shows the same numbers as a table', async () => {
    await open(`${PERIOD}&compare=true`)
    const region = await chart('IODs per day')
    await marksOf('IODs per day')
    fireEvent.click(within(region).getByRole('button', { name: 'As table' }))
    const rows = within(region)
      .getAllByRole('row')
      .map(row => row.textContent)
    expect(rows).toEqual(['DayURLHASHPeriod before', '2026-11-01211', '2026-11-02003', '2026-11-03600'])
  })

  it('that fails leaves the others, and is loaded again', async () => {
    let isBroken = true
    await open(PERIOD, {
      'GET /analytics/values': () => (isBroken ? [503, { detail: 'Not now' }] : [200, VALUES]),
    })
    await marksOf('IODs per day')
    const region = await chart('Top domains')
    await within(region).findByText('Not now')
    isBroken = false
    fireEvent.click(within(region).getByRole('button', { name: 'Retry' }))
    await within(region).findByRole('link', { name: 'example.org: 5 IODs, +3 against the period before' })
    await within(await chart('Top hashtags')).findByText('Nothing in this period')
  })

  it('shows hostile values as text', async () => {
    await open()
    const [mark] = await marksOf('Top accounts')
    expect(mark?.getAttribute('aria-label')).toBe('=cmd|<b>: 1 IOD')
    expect(document.querySelector('svg b')).toBeNull()
  })
})

describe('the controls', () => {
  it('are in the address, and sent', async () => {
    const section = await open(`${PERIOD}&mine=true&category=URL&zone=Europe/Paris`)
    await marksOf('IODs per day')
    fireEvent.change(screen.getByRole('combobox', { name: 'Period' }), { target: { value: '7' } })
    await waitFor(() => expect(section.search()).toContain('days=7'))
    expect(section.search()).toBe('?days=7&zone=Europe%2FParis&category=URL&mine=true')
    const first = section.calls.find(({ route }) => route === 'GET /analytics/iods')
    expect(Object.fromEntries(first?.search ?? [])).toEqual({
      from: '2026-11-01',
      to: '2026-11-03',
      zone: 'Europe/Paris',
      compare: 'false',
      category: 'URL',
      mine: 'true',
    })
  })

  it('applies chosen days only if they are a period', async () => {
    const section = await open()
    const from = await screen.findByLabelText('From')
    const apply = screen.getByRole<HTMLButtonElement>('button', { name: 'Apply' })
    fireEvent.change(from, { target: { value: '2026-11-09' } })
    await screen.findByText('The first day of the period is after its last day.')
    expect(apply.disabled).toBe(true)
    fireEvent.change(from, { target: { value: '2026-10-31' } })
    fireEvent.click(apply)
    await waitFor(() => expect(section.search()).toBe('?from=2026-10-31&to=2026-11-03'))
  })

  it('that are invalid are replaced, with a message', async () => {
    await open('from=1926-01-01&to=2026-01-01&zone=Mars')
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('A period has at most 400 days.')
    expect(alert.textContent).toContain('“Mars” is no time zone.')
    await marksOf('IODs per day')
  })

  it('say that a campaign is gone, in each chart that needs it', async () => {
    await open(`${PERIOD}&campaign=${idOf(1)}`, {
      'GET /analytics/iods': [404, { detail: 'Campaign not found' }],
    })
    await within(await chart('IODs per day')).findByText('Campaign not found')
    await marksOf('Top domains')
  })
})

describe('the other tabs', () => {
  it('count the own records', async () => {
    const section = await open(`tab=collection&${PERIOD}`)
    const [mark] = await marksOf('Hours of posting')
    expect(mark?.getAttribute('aria-label')).toBe('Sun 09:00: 5 records')
    await marksOf('Records per day')
    fireEvent.click((await marksOf('Reach'))[0] as Element)
    await waitFor(() => expect(section.path()).toBe('/dashboard/data'))
    expect(section.search()).toBe(`?${PERIOD}&source=tiktok&platform=TikTok&reach=3`)
  })

  it('compare campaigns', async () => {
    await open(`tab=campaigns&${PERIOD}`)
    expect((await marksOf('Overlap of campaigns')).map(mark => mark.getAttribute('aria-label'))).toEqual([
      'Lake and Lake (2): 2 common IODs',
      'Lake and Lake (2): 2 common IODs',
    ])
    expect(await marksOf('First appearances')).toHaveLength(2)
    const matrix = within(await chart('DISARM techniques'))
    const technique = await matrix.findByRole('link', { name: /^T0043 .+: 2 campaigns$/ })
    expect(technique.getAttribute('href')).toBe(`/dashboard/campaigns?technique=T0043&${PERIOD}`)
  })

  it('show what rises', async () => {
    await open(`tab=narratives&${PERIOD}`)
    expect(await marksOf('Rising narratives')).toHaveLength(1)
    expect(await marksOf('Narratives by week')).toHaveLength(2)
  })
})
