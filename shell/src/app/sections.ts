import type { BrowserConfig, Profile } from '@iodine/contracts'

export interface Section {
  /** Second segment of the section's path. */
  id: string
  label: string
  /** Name of the remote; undefined for a page of the shell. */
  remote?: string
}

/** The product's own sections in the order of the menu. */
export const SECTIONS: readonly Section[] = [
  { id: 'overview', label: 'Dashboard' },
  { id: 'data', label: 'My data', remote: 'mfe_data' },
  { id: 'iods', label: 'IODs', remote: 'mfe_iods' },
  { id: 'narratives', label: 'Narratives', remote: 'mfe_narratives' },
  { id: 'campaigns', label: 'Campaigns', remote: 'mfe_campaigns' },
  { id: 'graph', label: 'Graph', remote: 'mfe_graph' },
  { id: 'community', label: 'Community', remote: 'mfe_community' },
  { id: 'origins', label: 'Origins', remote: 'mfe_origins' },
]

/** Reserved ids: a deployment's own section cannot have them. */
const TAKEN = new Set([...SECTIONS.map(section => section.id), 'admin', 'profile'])

/** The sections of the menu: the product's own, followed by those that this deployment adds. */
export const allSections = (config: Pick<BrowserConfig, 'sections'>): readonly Section[] => [
  ...SECTIONS,
  ...config.sections.filter(section => !TAKEN.has(section.id)),
]

export const ADMIN: Section = { id: 'admin', label: 'Admin' }
export const PROFILE: Section = { id: 'profile', label: 'Profile' }

/** All pages that a user can open from the menu, in its order. */
export const menuOf = (
  config: Pick<BrowserConfig, 'sections'>,
  { is_admin }: Pick<Profile, 'is_admin'>,
): readonly Section[] => [...allSections(config), ...(is_admin ? [ADMIN] : []), PROFILE]

export const findSection = (id: string, sections = SECTIONS): Section | undefined =>
  sections.find(section => section.id === id)
