/** A technique of DISARM, the framework for describing disinformation. */
export interface Technique {
  /** DISARM's id, such as 'T0023.001'; of a technique below another one with the latter's as its beginning. */
  id: string
  name: string
  /** What it serves, such as 'Develop Content'. */
  tactic: string
}

/** A technique that a campaign uses, as files say it. */
export interface UsedTechnique {
  id: string
  /** Null if the list doesn't have the technique any more. */
  name: string | null
  /** When it was added to the campaign: ISO 8601. */
  at: string
  /** The day since when the list says this of it: YYYY-MM-DD. */
  since: string
}

/** Type of MISP's galaxy. */
export const GALAXY = 'disarm-techniques'
/** What DISARM's own STIX calls the source of its ids; readers of ATT&CK, OpenCTI among them, know it by that. */
export const SOURCE_NAME = 'mitre-attack'

/** The page of a technique. */
export const pageOf = (id: string): string =>
  `https://github.com/DISARMFoundation/DISARMframeworks/blob/main/generated_pages/techniques/${id}.md`
