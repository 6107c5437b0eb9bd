/**
 * Runs in each remote's entry. A browser attaches a script to a hung request for the same URL: an entry that was
 * retried as `?retry=n` requests its chunks with the same query. Rsbuild's retry plugin (1.6 kB in each section)
 * retries automatically, and supports no retry by the user.
 */
const query = document.currentScript?.src.match(/\?retry=\d+$/)?.[0]
if (query) {
  const plain = __webpack_get_script_filename__
  __webpack_get_script_filename__ = chunk => plain(chunk) + query
}

export default () => ({ name: 'retried-chunks' })
