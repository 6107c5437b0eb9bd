/// <reference types="@iodine/ui/css" />

/** Where the remote is served from, with a slash at its end. */
declare const __webpack_public_path__: string
/** Part of the workers' file names. */
declare const WORKER_VERSION: string
