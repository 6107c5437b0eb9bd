/** A tactic of DISARM: a column of its matrix. */
export interface Tactic {
  /** DISARM's id, such as 'TA06'. */
  id: string
  name: string
  phase: 'Plan' | 'Prepare' | 'Execute' | 'Assess'
  /** Position in the matrix, from 1. */
  rank: number
}

/** A technique of DISARM, the framework for describing disinformation. */
export interface Technique {
  /** DISARM's id, such as 'T0023.001'; the id of a sub-technique begins with its parent's id. */
  id: string
  /** Name in its latest release. */
  name: string
  tactic: Tactic
  /** First release that contains it. */
  since: string
  /** Last release that contains it; null if the latest one does. */
  until: string | null
}

/** A cluster of MISP's galaxy: the id of its technique, and its value. */
export interface Cluster {
  id: string
  value: string
}

/** A technique that a campaign uses, for export files. */
export interface UsedTechnique {
  id: string
  /** Null if the list lacks the technique. */
  name: string | null
  /** Name of its tactic; null if the list lacks the technique. */
  tactic: string | null
  /** Last release that contains it; null for a current or unknown technique. */
  until: string | null
  /** Clusters that represent it in MISP. */
  clusters: readonly Cluster[]
  /** Time of its addition to the campaign: ISO 8601. */
  at: string
  /** Version of the list. */
  list: string
  /** Date of the list: YYYY-MM-DD. */
  listDate: string
}

/** Type of MISP's galaxy. */
export const GALAXY = 'disarm-techniques'
/** Source name of ids in DISARM's own STIX; tools that support ATT&CK, such as OpenCTI, recognize it. */
export const SOURCE_NAME = 'mitre-attack'

/** Returns the name of a tactic in kill chains: 'develop-content'. */
export const phaseNameOf = (tactic: string): string => tactic.toLowerCase().replaceAll(' ', '-')

/** Returns the URL of a current technique's page. */
export const pageOf = (id: string): string =>
  `https://github.com/DISARMFoundation/DISARMframeworks/blob/main/generated_pages/techniques/${id}.md`
