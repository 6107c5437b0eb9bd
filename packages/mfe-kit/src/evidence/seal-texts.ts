/** Help text about a seal. */
export const SEAL_HELP =
  'A seal proves that an account’s browser extension delivered exactly this page content to this server by the time of receipt, and the log shows any later change.'
