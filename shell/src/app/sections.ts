import type { BrowserConfig, Profile } from '@iodine/contracts'

export interface Section {
  /** Second segment of the section's path. */
  id: string
  label: string
  /** Name of the remote; undefined for a page of the shell. */
  remote?: string
}

/** The built-in sections in menu order. */
export const SECTIONS: readonly Section[] = [
  { id: 'overview', label: 'Dashboard' },
  { id: 'data', label: 'My data', remote: 'mfe_data' },
  { id: 'iods', label: 'IODs', remote: 'mfe_iods' },
  { id: 'narratives', label: 'Narratives', remote: 'mfe_narratives' },
  { id: 'campaigns', label: 'Campaigns', remote: 'mfe_campaigns' },
  { id: 'graph', label: 'Graph', remote: 'mfe_graph' },
  { id: 'community', label: 'Community', remote: 'mfe_community' },
  { id: 'analytics', label: 'Analytics', remote: 'mfe_analytics' },
  { id: 'origins', label: 'Origins', remote: 'mfe_origins' },
]

/** Ids that sections of a deployment cannot use. */
const RESERVED_IDS = new Set([...SECTIONS.map(section => section.id), 'admin', 'profile'])

/** Returns the sections of the menu: built-in ones, then those of this deployment. */
export const allSections = (config: Pick<BrowserConfig, 'sections'>): readonly Section[] => [
  ...SECTIONS,
  ...config.sections.filter(section => !RESERVED_IDS.has(section.id)),
]

export const ADMIN: Section = { id: 'admin', label: 'Admin' }
export const PROFILE: Section = { id: 'profile', label: 'Profile' }

/** Returns all pages of the user's menu, in menu order. */
export const menuOf = (
  config: Pick<BrowserConfig, 'sections'>,
  { is_admin }: Pick<Profile, 'is_admin'>,
): readonly Section[] => [...allSections(config), ...(is_admin ? [ADMIN] : []), PROFILE]

export const findSection = (id: string, sections = SECTIONS): Section | undefined =>
  sections.find(section => section.id === id)
