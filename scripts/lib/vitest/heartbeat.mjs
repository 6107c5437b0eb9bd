/** Run before each test file: says every second that the file's event loop turns (see watched-forks.mjs). */
setInterval(() => process.connected && process.send({ heartbeat: true }), 1_000).unref()
