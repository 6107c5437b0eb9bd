import { noticesToOutbox } from '@iodine/service-kit'

export const outbox = noticesToOutbox('0005-outbox', 'iods', 'iod.created')
