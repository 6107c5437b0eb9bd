/**
 * Setup file: sends a heartbeat every second while the test file's event loop turns (see watched-forks.mjs).
 */
setInterval(() => process.connected && process.send({ heartbeat: true }), 1_000).unref()
