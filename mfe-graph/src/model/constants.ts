/** Constants of layout and drawing. Lengths are in graph units, which are CSS pixels at zoom 1. */
export const GRAPH = {
  compact: { width: 1000, height: 600 },
  expanded: { width: 1400, height: 800 },
  nodeRelativeSize: 8,
  linkWidthMin: 2,
  linkWidthMax: 6,
  linkWidthPerCount: 2,
  arrowLength: 6,
  chargeStrength: -800,
  linkDistance: 150,
  /** A weak pull to the centre: without it, unconnected triplets drift out of view. */
  gravity: 0.05,
  alphaDecay: 0.01,
  velocityDecay: 0.3,
  warmupTicks: 100,
  cooldownTicks: 200,
  zoomMin: 0.002,
  zoomMax: 12,
} as const
