export interface Section {
  /** Second segment of its path. */
  id: string
  label: string
  /** Name of the remote that draws it; without one the shell does. */
  remote?: string
}

/** The sections of the sidebar in their order. */
export const SECTIONS: readonly Section[] = [
  { id: 'overview', label: 'Dashboard' },
  { id: 'data', label: 'My data', remote: 'mfe_data' },
  { id: 'iods', label: 'IODs', remote: 'mfe_iods' },
  { id: 'narratives', label: 'Narratives', remote: 'mfe_narratives' },
  { id: 'campaigns', label: 'Campaigns', remote: 'mfe_campaigns' },
  { id: 'graph', label: 'Graph', remote: 'mfe_graph' },
  { id: 'community', label: 'Community', remote: 'mfe_community' },
]

export const findSection = (id: string): Section | undefined => SECTIONS.find(section => section.id === id)

export const sectionPath = (id: string): string => `/dashboard/${id}`
