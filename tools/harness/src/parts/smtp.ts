import { appendFileSync } from 'node:fs'
import { startMailCatcher } from '@iodine/test-kit'
import { reportPort } from './report.js'

/** The mail catcher as one process: every mail is a line of JSON in the file before it is acknowledged. */
const [file = ''] = process.argv.slice(2)
const { url } = await startMailCatcher({
  keep: mail => appendFileSync(file, `${JSON.stringify(mail)}\n`, { flush: true }),
})
reportPort(url)
