/** The remote's base URL, with a trailing slash. */
declare const __webpack_public_path__: string
/** Hash in the workers' file names. */
declare const WORKER_VERSION: string
