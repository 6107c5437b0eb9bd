/** The remote's base address, with a slash at its end. */
declare const __webpack_public_path__: string
/** A part of the workers' file names. */
declare const WORKER_VERSION: string
