import { defineRemote } from '@iodine/build-kit'

export default defineRemote(import.meta.dirname)
