import { ConfigError } from '@iodine/service-kit'
import { account } from './account.js'

const say = (line: string) => void process.stderr.write(`${line}\n`)

try {
  process.exitCode = await account(process.argv.slice(2), process.env, {
    say,
    stdout: process.stdout,
    // Where npm was called, rather than the workspace's root.
    folder: process.env.INIT_CWD ?? process.cwd(),
  })
} catch (error) {
  say(error instanceof ConfigError ? error.message : String((error as Error).stack))
  process.exitCode = 1
}
