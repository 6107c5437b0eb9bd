import {
  ChatIcon,
  DashboardIcon,
  DatabaseIcon,
  FlagIcon,
  GraphIcon,
  PeopleIcon,
  TagIcon,
} from '@iodine/ui/icons'
import type { ReactElement } from 'react'

export interface Section {
  /** Second segment of its path. */
  id: string
  label: string
  icon: ReactElement
  /** Name of the remote that draws it; without one the shell does. */
  remote?: string
}

/** The sections of the sidebar in their order. */
export const SECTIONS: readonly Section[] = [
  { id: 'overview', label: 'Dashboard', icon: <DashboardIcon /> },
  { id: 'data', label: 'My data', icon: <DatabaseIcon />, remote: 'mfe_data' },
  { id: 'iods', label: 'IODs', icon: <TagIcon />, remote: 'mfe_iods' },
  { id: 'narratives', label: 'Narratives', icon: <ChatIcon />, remote: 'mfe_narratives' },
  { id: 'campaigns', label: 'Campaigns', icon: <FlagIcon />, remote: 'mfe_campaigns' },
  { id: 'graph', label: 'Graph', icon: <GraphIcon />, remote: 'mfe_graph' },
  { id: 'community', label: 'Community', icon: <PeopleIcon />, remote: 'mfe_community' },
]

export const findSection = (id: string): Section | undefined => SECTIONS.find(section => section.id === id)

export const sectionPath = (id: string): string => `/dashboard/${id}`
