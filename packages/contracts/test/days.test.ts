import { describe, expect, it } from 'vitest'
import { addDays, countDaysBetween, dayStarts, isDay, isZone, offsetOf, startOfDay } from '../src/index.js'

describe('days of zones', () => {
  it.each([
    ['UTC', '2026-11-28', '2026-11-28T00:00:00.000Z'],
    ['Europe/Paris', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Paris', '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['Asia/Kathmandu', '2026-11-28', '2026-11-27T18:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-11-28', '2026-11-27T10:00:00.000Z'],
    // Clocks went from 00:00 to 01:00, and from 24:00 to 23:00.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    ['America/Sao_Paulo', '2018-02-18', '2018-02-18T03:00:00.000Z'],
  ])('begin in %s on %s at %s', (zone, day, expected) => {
    expect(new Date(startOfDay(day, zone)).toISOString()).toBe(expected)
  })

  it('divide time: each begins where the previous one ends, on its own date', () => {
    for (const zone of [
      'America/Sao_Paulo',
      'Europe/Paris',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'America/Havana',
    ]) {
      const starts = dayStarts('2018-01-01', '2018-12-31', zone)
      expect(starts).toHaveLength(366)
      for (const [n, start] of starts.entries()) {
        const local = (time: number) => new Date(time + offsetOf(time, zone)).toISOString().slice(0, 10)
        expect([zone, local(start)]).toEqual([zone, addDays('2018-01-01', n)])
        expect([zone, local(start - 1)]).toEqual([zone, addDays('2018-01-01', n - 1)])
      }
    }
  })

  it('are counted, and only existing ones and known zones accepted', () => {
    expect(countDaysBetween('2024-02-28', '2024-03-01')).toBe(3)
    expect(['2026-02-29', '2026-13-01', '2026-1-1', '', '2026-11-28T00'].filter(isDay)).toEqual([])
    expect(['UTC', 'Europe/Paris', 'America/Argentina/Buenos_Aires'].every(isZone)).toBe(true)
    expect(['', '+02:00', 'Europe/Atlantis', 'a'.repeat(70), '__proto__'].filter(isZone)).toEqual([])
  })
})
