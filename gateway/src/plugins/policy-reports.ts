import { badRequest, invalid, type PartMetrics } from '@iodine/service-kit'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { REPORTS_PATH } from './security.js'

const REPORT_BYTES = 16_384

/** Directives of the policy: values of a metric's label. Any other value counts as `other`. */
const DIRECTIVES = [
  'default-src',
  'script-src',
  'script-src-elem',
  'script-src-attr',
  'style-src',
  'style-src-elem',
  'style-src-attr',
  'img-src',
  'font-src',
  'connect-src',
  'worker-src',
  'object-src',
  'frame-src',
  'base-uri',
  'form-action',
  'frame-ancestors',
  'trusted-types',
  'require-trusted-types-for',
] as const
type Directive = (typeof DIRECTIVES)[number] | 'other'

/** A report as browsers send it (Content Security Policy Level 3, section 5.2). */
const report = z.object({
  'csp-report': z.object({
    'effective-directive': z.string().optional(),
    'violated-directive': z.string().optional(),
  }),
})

/**
 * Counts violations of the content security policy by directive. Anybody can send reports: their contents are neither
 * stored nor logged.
 */
export const addPolicyReports = async (app: FastifyInstance, metrics: PartMetrics): Promise<void> => {
  const { counted } = metrics.watchPolicy([...DIRECTIVES, 'other'] satisfies Directive[])
  await app.register(async scoped => {
    scoped.removeAllContentTypeParsers()
    scoped.addContentTypeParser(
      'application/csp-report',
      { parseAs: 'string', bodyLimit: REPORT_BYTES },
      (_request, text, done) => {
        try {
          done(null, JSON.parse(text as string))
        } catch {
          done(badRequest())
        }
      },
    )
    scoped.post(REPORTS_PATH, async ({ body }, reply) => {
      const parsed = report.safeParse(body)
      if (!parsed.success) throw invalid(['csp-report: must be a report'])
      const { 'effective-directive': effective, 'violated-directive': violated } = parsed.data['csp-report']
      // Older browsers send the directive with its values.
      const name = (effective ?? violated ?? '').split(' ', 1)[0]
      counted(DIRECTIVES.find(each => each === name) ?? 'other')
      return reply.code(204).send()
    })
  })
}
