import { defineShell } from '@iodine/build-kit'

export default defineShell(import.meta.dirname)
