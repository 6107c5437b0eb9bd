import { noticesToOutbox } from '@iodine/service-kit'

export const outbox = noticesToOutbox('0003-outbox', 'users', 'user.changed')
