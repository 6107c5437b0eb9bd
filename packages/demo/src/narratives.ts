import narratives from '../data/narratives.json' with { type: 'json' }

export interface DemoNarrative {
  text: string
  src: string | null
  /** Index of the account that submits it. */
  by: number
}

/**
 * Texts about the three stories, by spreaders and fact checkers, with variants of the same claims. Their sentences are
 * simple, so that the offline provider's rules can parse them.
 */
export const demoNarratives: readonly DemoNarrative[] = narratives
