import { DETAILS } from '@iodine/contracts'
import { conflict } from '@iodine/service-kit'
import type { CampaignsConfig } from '../../config.js'

/** Settings that pages show. */
export interface ReportSite {
  /** URL of the web app. */
  url: string
  contact: string
  legal_notice: string
}

type Settings = Pick<CampaignsConfig, 'REPORTS' | 'PUBLIC_URL' | 'REPORTS_CONTACT' | 'REPORTS_LEGAL_NOTICE'>

/**
 * Returns the settings that pages show.
 * @throws Error if reports are on without a contact or a legal notice
 */
export const siteOf = ({
  REPORTS,
  PUBLIC_URL,
  REPORTS_CONTACT,
  REPORTS_LEGAL_NOTICE,
}: Settings): ReportSite => {
  if (REPORTS === 'reviewed' && (REPORTS_CONTACT.trim() === '' || REPORTS_LEGAL_NOTICE.trim() === ''))
    throw new Error('REPORTS=reviewed requires REPORTS_CONTACT and REPORTS_LEGAL_NOTICE')
  return {
    url: PUBLIC_URL.replace(/\/+$/, ''),
    contact: REPORTS_CONTACT,
    legal_notice: REPORTS_LEGAL_NOTICE,
  }
}

/** Throws 409 while reports are off. */
export const requireReports = ({ REPORTS }: Pick<CampaignsConfig, 'REPORTS'>): void => {
  if (REPORTS === 'off') throw conflict(DETAILS.reportsOff)
}
