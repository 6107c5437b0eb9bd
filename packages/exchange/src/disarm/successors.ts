import type { SuccessionBasis } from '@iodine/contracts'

/** Techniques of the latest release that together replace an obsolete one. */
export interface Successors {
  ids: readonly string[]
  basis: SuccessionBasis
}

/** Obsolete ids and their successors. Those without one, such as T0142, are absent. */
const SUCCESSORS: Record<SuccessionBasis, Readonly<Record<string, string>>> = {
  stated: {
    T0019: 'T0049.008',
    'T0019.001': 'T0085.007',
    'T0019.002': 'T0049.002',
    T0099: 'T0143.003',
    'T0104.005': 'T0015.001',
    'T0104.006': 'T0015.002',
  },
  retagged: {
    T0043: 'T0151.004',
    'T0043.001': 'T0151.004 T0155.007',
    'T0104.002': 'T0151.017',
    'T0129.008': 'T0149.004',
    'T0141.001': 'T0146 T0150.005',
    'T0141.002': 'T0152.004 T0150.005',
  },
  ours: {
    T0007: 'T0151.002 T0151.003',
    T0009: 'T0097.108 T0143.002',
    T0011: 'T0146 T0150.005',
    T0013: 'T0152.004',
    'T0043.002': 'T0151.004',
    'T0085.002': 'T0085.004 T0089.003',
    'T0089.002': 'T0085.004',
    T0090: 'T0146',
    'T0090.001': 'T0146',
    'T0090.002': 'T0146.007',
    'T0090.003': 'T0146.007',
    'T0090.004': 'T0146 T0143.002',
    'T0097.001': 'T0144',
    'T0099.002': 'T0143.003 T0143.004',
    'T0099.003': 'T0143.003 T0097.200',
    'T0099.004': 'T0143.003 T0097.202',
    'T0099.005': 'T0143.003 T0097.111',
    'T0099.006': 'T0143.003 T0097.100',
    T0103: 'T0152.008',
    'T0103.001': 'T0152.008',
    'T0103.002': 'T0152.008',
    T0104: 'T0151.001',
    'T0104.001': 'T0151.001',
    'T0104.003': 'T0151.002 T0155',
    'T0104.004': 'T0151.008',
    T0105: 'T0152',
    'T0105.001': 'T0152',
    'T0105.002': 'T0152.006',
    'T0105.003': 'T0152.007',
    T0106: 'T0151.009 T0151.010',
    'T0106.001': 'T0151.012',
    T0108: 'T0152.001',
    T0112: 'T0153.001',
    T0141: 'T0150.005',
  },
}

/**
 * Returns the techniques that may replace an obsolete one. A person decides on the replacement: one technique may
 * become several.
 * @returns undefined for a current technique, and for one without successors
 */
export function successorsOf(id: string): Successors | undefined {
  for (const [basis, all] of Object.entries(SUCCESSORS))
    if (Object.hasOwn(all, id))
      return { ids: (all[id] as string).split(' '), basis: basis as SuccessionBasis }
  return undefined
}
