import { appendFileSync } from 'node:fs'
import { startMailCatcher } from '@iodine/test-kit'
import { reportPort } from './report.js'

/** The mail catcher as a process: appends each mail to the file as a line of JSON before it acknowledges the mail. */
const [file = ''] = process.argv.slice(2)
const { url } = await startMailCatcher({
  keep: mail => appendFileSync(file, `${JSON.stringify(mail)}\n`, { flush: true }),
})
reportPort(url)
