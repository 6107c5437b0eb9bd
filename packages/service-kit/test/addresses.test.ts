import { expect, it } from 'vitest'
import { readForwarded } from '../src/http/addresses.js'

const clientsOf = (forwarded: string) => {
  const headers: Record<string, string | undefined> = { forwarded }
  readForwarded(headers)
  return headers['x-forwarded-for']
}

it('reads the addresses of Forwarded', () => {
  expect(clientsOf('for=192.0.2.1;proto=https, for="[2001:db8::1]:443"')).toBe('192.0.2.1, 2001:db8::1')
})

it('ignores an overlong Forwarded header, in linear time', () => {
  expect(clientsOf('"\\'.repeat(1_000_000))).toBeUndefined()
})
