import type { AuditAction } from '@iodine/contracts'
import type { Caller, FastifyRequest, StoreService } from '@iodine/service-kit'

/** Executes an action on a report and records it in the audit log. */
export const recorded = <Answer>(
  { audit }: Pick<StoreService, 'audit'>,
  call: { user: Caller; request: FastifyRequest; params: { id: string } },
  action: AuditAction,
  work: () => Promise<Answer>,
): Promise<Answer> => audit.during(call, { action, subject: { kind: 'report', id: call.params.id } }, work)
