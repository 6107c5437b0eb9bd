import { openSection } from '@iodine/mfe-kit/testing'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { parcel } from '../src/parcel'

it('opens', async () => {
  await openSection(parcel, '/dashboard/origins', '/dashboard/origins', {})
  expect(await screen.findByRole('heading', { name: 'Origins' })).toBeTruthy()
})
