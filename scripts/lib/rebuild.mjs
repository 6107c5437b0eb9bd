import { devStack } from './dev-stack.mjs'
import { main, Refusal, say } from './run.mjs'

/** A command that has a service of the running product make anew what it derives. */
export const rebuild = (part, done) =>
  main(async () => {
    const { rebuild } = await devStack('rebuild')
    if (!(await rebuild(part, process.env)))
      throw new Refusal('Nothing runs on DATA_DIR: start the product first (npm start).')
    say(done)
  })
