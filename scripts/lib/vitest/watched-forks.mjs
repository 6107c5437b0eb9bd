import { relative } from 'node:path'
import { ForksPoolWorker } from 'vitest/node'

/**
 * A process of vitest's that is killed when the event loop of its test file no longer turns, or when the file is not
 * loaded in that time. Vitest's own limits for tests and hooks can't end either: they need the loop, or a test.
 */
class WatchedFork extends ForksPoolWorker {
  #limitMs
  #files = ''
  #isLoaded = false
  #lastSign = 0
  #lastLook = 0

  constructor(options, limitMs) {
    super(options)
    this.#limitMs = limitMs
  }

  async start() {
    await super.start()
    const fork = this._fork
    const watch = setInterval(() => this.#look(), this.#limitMs / 10)
    // Vitest leaves a process behind that spins when it is told to stop.
    const kill = () => fork.kill('SIGKILL')
    process.once('exit', kill)
    fork.once('exit', () => {
      clearInterval(watch)
      process.off('exit', kill)
    })
  }

  send(message) {
    if (message.type === 'run') {
      this.#files = message.context.files.map(({ filepath }) => relative(process.cwd(), filepath)).join(', ')
      this.#isLoaded = false
      this.#lastSign = Date.now()
    }
    super.send(message)
  }

  on(event, callback) {
    if (event !== 'message') return super.on(event, callback)
    super.on(event, message => {
      const isBeat = message?.heartbeat === true
      if (message?.m === 'onCollected') this.#isLoaded = true
      // A file that loads asks for modules and reports what it holds; from then on tests have their own limits.
      if (!isBeat || this.#isLoaded) this.#lastSign = Date.now()
      if (!isBeat) callback(message)
    })
  }

  #look() {
    const now = Date.now()
    // The machine slept, or this process had no turn: then the other had none either.
    if (now - this.#lastLook > this.#limitMs / 2) this.#lastSign = now
    this.#lastLook = now
    if (!this.#files || now - this.#lastSign <= this.#limitMs) return
    const fault = this.#isLoaded ? 'keeps its event loop busy' : 'does not finish loading'
    const error = new Error(
      `${this.#files} ${fault}: ended after ${this.#limitMs / 1000} s without a sign of life`,
    )
    error.stack = error.message
    this.#files = ''
    this.fork.emit('error', error)
    this.fork.kill('SIGKILL')
  }
}

/** For vitest's option `pool`: a process for each test file, ended and named after `limitMs` without a sign of life. */
export const watchedForks = (limitMs = 120_000) => ({
  name: 'watched forks',
  createPoolWorker: options => new WatchedFork(options, limitMs),
})
