/** A technique of DISARM, the framework for describing disinformation. */
export interface Technique {
  /** DISARM's id, such as 'T0023.001'; the id of a sub-technique begins with its parent's id. */
  id: string
  name: string
  /** DISARM's tactic, such as 'Develop Content'. */
  tactic: string
}

/** A technique that a campaign uses, for export files. */
export interface UsedTechnique {
  id: string
  /** Null if the list lacks the technique. */
  name: string | null
  /** Time of its addition to the campaign: ISO 8601. */
  at: string
  /** Date of the list: YYYY-MM-DD. */
  since: string
}

/** Type of MISP's galaxy. */
export const GALAXY = 'disarm-techniques'
/** Source name of ids in DISARM's own STIX; tools that support ATT&CK, such as OpenCTI, recognize it. */
export const SOURCE_NAME = 'mitre-attack'

/** Returns the URL of a technique's page. */
export const pageOf = (id: string): string =>
  `https://github.com/DISARMFoundation/DISARMframeworks/blob/main/generated_pages/techniques/${id}.md`
