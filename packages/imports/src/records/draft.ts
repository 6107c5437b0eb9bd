/** A post as a file states it, in the fields of a record `post`. Records of the other kinds are made of it. */
export interface Draft {
  platform?: string
  id?: string
  type?: 'post' | 'comment' | 'repost' | 'video'
  url?: string
  title?: string
  text?: string
  language?: string
  /** ISO 8601 in UTC. */
  published_at?: string
  edited_at?: string
  author?: {
    id?: string
    handle?: string
    name?: string
    url?: string
    description?: string
    followers?: number
    following?: number
    posts?: number
    verified?: boolean
  }
  within?: {
    type?: string
    id?: string
    name?: string
    url?: string
  }
  relations?: {
    in_reply_to?: Reference
    quote_of?: Reference
    repost_of?: Reference
    thread_id?: string
  }
  hashtags?: string[]
  mentions?: string[]
  links?: string[]
  media?: { type: string; url?: string; alt?: string }[]
  metrics?: Record<string, number | undefined>
  location?: {
    name?: string
    country?: string
    latitude?: number
    longitude?: number
  }
  /** Of articles: their summary, site and keywords. */
  summary?: string
  publisher?: { name?: string; url?: string }
  keywords?: string[]
}

export interface Reference {
  id?: string
  url?: string
  author?: string
}
