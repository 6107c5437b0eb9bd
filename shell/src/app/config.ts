import { type BrowserConfig, PRODUCT_NAME } from '@iodine/contracts'

const DEFAULTS: BrowserConfig = {
  product_name: PRODUCT_NAME,
  contact_email: '',
  social_links: [],
  extension_url: '',
  extension_firefox_url: '',
  offline_ai: false,
  reports: false,
  sections: [],
}

/** Reads the deployment's settings. If that fails, it returns the defaults, so that the app starts. */
export async function fetchConfig(): Promise<BrowserConfig> {
  try {
    const response = await fetch('/config.json')
    return response.ok ? { ...DEFAULTS, ...((await response.json()) as Partial<BrowserConfig>) } : DEFAULTS
  } catch {
    return DEFAULTS
  }
}
