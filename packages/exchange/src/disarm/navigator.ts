import type { CampaignDetail } from '@iodine/contracts'
import { phaseNameOf, type UsedTechnique } from './technique.js'

/** A layer of DISARM's Navigator, which is a copy of ATT&CK's: layer format 4.4. */
export interface NavigatorLayer {
  name: string
  versions: { navigator: string; layer: '4.4' }
  domain: 'DISARM'
  description: string
  techniques: {
    techniqueID: string
    tactic: string
    score: number
    comment: string
    enabled: true
    color?: string
  }[]
}

/** Returns a layer of techniques. */
export const layerOf = (
  name: string,
  description: string,
  techniques: NavigatorLayer['techniques'],
): NavigatorLayer => ({
  name,
  versions: { navigator: '4.8.0', layer: '4.4' },
  domain: 'DISARM',
  description,
  techniques,
})

/**
 * Converts a campaign's current techniques to a layer of DISARM's Navigator, which lacks obsolete ones.
 * @param quotes the first quote for a technique, by its id: the comment of its cell
 */
export const toNavigatorLayer = (
  { name, description }: Pick<CampaignDetail, 'name' | 'description'>,
  techniques: readonly UsedTechnique[],
  quotes: ReadonlyMap<string, string> = new Map(),
): NavigatorLayer =>
  layerOf(
    name,
    description,
    techniques.flatMap(({ id, tactic, until }) =>
      tactic === null || until !== null
        ? []
        : [
            {
              techniqueID: id,
              tactic: phaseNameOf(tactic),
              score: 1,
              comment: quotes.get(id) ?? '',
              enabled: true,
            },
          ],
    ),
  )
