/**
 * Setup file: sends a heartbeat every second unless the test file's event loop is blocked (see
 * watched-forks.mjs).
 */
setInterval(() => process.connected && process.send({ heartbeat: true }), 1_000).unref()
