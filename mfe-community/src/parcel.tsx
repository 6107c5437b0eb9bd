import { defineParcel } from '@iodine/mfe-kit'
import { ProfilePage } from './pages/ProfilePage'
import { UsersPage } from './pages/UsersPage'

export const parcel = defineParcel({ '/': UsersPage, '/profile/:userId': ProfilePage })
