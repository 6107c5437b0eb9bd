/** The manifest fields of both browsers. README.md explains each permission. */
const shared = {
  manifest_version: 3,
  name: 'Iodine collector',
  description:
    'Collect posts and articles that you read into Iodine, and see which of their values are known indicators.',
  icons: { 16: 'icons/16.png', 32: 'icons/32.png', 48: 'icons/48.png', 128: 'icons/128.png' },
  action: { default_popup: 'popup.html', default_icon: { 16: 'icons/16.png', 32: 'icons/32.png' } },
  options_ui: { page: 'options.html', open_in_tab: true },
  permissions: ['activeTab', 'alarms', 'scripting', 'storage'],
  optional_host_permissions: ['https://*/*', 'http://*/*'],
  content_security_policy: {
    // Requests go only to the server: https anywhere, http on this computer. Blueprint sets inline styles.
    extension_pages: [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  },
}

/** The manifest fields that differ by browser. */
const own = {
  chromium: { minimum_chrome_version: '122', background: { service_worker: 'background.js' } },
  firefox: {
    background: { scripts: ['background.js'] },
    browser_specific_settings: {
      gecko: {
        id: 'collector@iodine.local',
        strict_min_version: '142.0',
        data_collection_permissions: { required: ['websiteContent', 'authenticationInfo'] },
      },
    },
  },
}

export const TARGETS = Object.keys(own)

/** Returns the manifest for a browser: `chromium` or `firefox`. */
export const manifestFor = (target, version) => ({ ...shared, version, ...own[target] })

/** Extension of a browser's package file. */
export const packageExtension = target => (target === 'firefox' ? 'xpi' : 'zip')
