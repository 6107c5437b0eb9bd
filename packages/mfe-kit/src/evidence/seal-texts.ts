/** Help text about a seal. */
export const SEAL_HELP =
  'A seal proves that an account’s browser extension delivered exactly this page content to this server by the time of receipt, and the log shows any later change.'

/** Help text of the button Verify. */
export const VERIFY_HELP = 'Checks in your browser that the content has not changed since it was sealed'
