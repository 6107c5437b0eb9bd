import { z } from 'zod'
import { isDay, isZone } from './days.js'
import { text } from './primitives.js'

export const day = text(10).refine(isDay, 'must be a day such as 2026-11-28')
export const zone = text(64).refine(isZone, 'must be a time zone such as Europe/Paris')
export const flag = z.enum(['true', 'false']).transform(value => value === 'true')

/** Days of a zone, default UTC, that restrict a list; both are included. */
export const dayFilters = { from: day.optional(), to: day.optional(), zone: zone.optional() }
