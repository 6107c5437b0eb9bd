import { narrativeAnalyticsApi } from '@iodine/contracts'
import { Types } from 'mongoose'
import type { Store } from '../../store.js'
import { analyzeNarratives } from '../queries/analyze-narratives.js'

export const addAnalyticsRoutes = ({ service, canonReader }: Store): void => {
  service.route(narrativeAnalyticsApi.analyzeNarratives, async ({ query, user }) => {
    const { narratives } = await canonReader.readView(new Types.ObjectId(user.id))
    return analyzeNarratives(query, narratives)
  })
}
