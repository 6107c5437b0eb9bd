/**
 * Setup file: sends a heartbeat every second unless the worker's event loop is blocked (see watched-forks.mjs). Runs
 * before each test file.
 */
globalThis.heartbeat ??= setInterval(
  () => process.connected && process.send({ heartbeat: true }),
  1_000,
).unref()
