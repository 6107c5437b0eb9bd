/** Names of columns by field, in lower case without punctuation, in English, French, German and Spanish. */
const NAMES: Record<string, readonly string[]> = {
  url: [
    'url',
    'link',
    'posturl',
    'permalink',
    'tweeturl',
    'videourl',
    'webvideourl',
    'address',
    'adresse',
    'lien',
    'enlace',
  ],
  id: ['id', 'postid', 'videoid', 'tweetid', 'statusid', 'messageid', 'idstr'],
  platform: ['platform', 'plateforme', 'network', 'source', 'site', 'plataforma'],
  type: ['type', 'posttype'],
  title: ['title', 'titre', 'titel', 'titulo', 'headline'],
  text: [
    'text',
    'body',
    'message',
    'content',
    'caption',
    'fulltext',
    'posttext',
    'description',
    'videodescription',
    'texte',
    'inhalt',
    'texto',
    'post',
    'tweet',
  ],
  language: ['language', 'lang', 'langue', 'sprache', 'idioma'],
  published_at: [
    'publishedat',
    'date',
    'time',
    'datetime',
    'timestamp',
    'createdat',
    'createtime',
    'createtimeiso',
    'posted',
    'postedat',
    'when',
    'videotimestamp',
    'uploaddate',
    'datum',
    'fecha',
  ],
  'author.id': ['authorid', 'userid', 'channelid'],
  'author.handle': [
    'handle',
    'username',
    'author',
    'user',
    'screenname',
    'authorusername',
    'authormetaname',
    'uploaderid',
    'auteur',
    'autor',
  ],
  'author.name': [
    'name',
    'authorname',
    'displayname',
    'fullname',
    'channel',
    'uploader',
    'nickname',
    'authormetanickname',
    'who',
  ],
  'author.followers': [
    'followers',
    'followercount',
    'followerscount',
    'authorfollowercount',
    'authormetafans',
  ],
  hashtags: ['hashtags', 'tags'],
  'metrics.likes': ['likes', 'likecount', 'diggcount', 'videodiggcount', 'favoritecount'],
  'metrics.comments': ['comments', 'commentcount', 'replies', 'replycount', 'videocommentcount'],
  'metrics.shares': [
    'shares',
    'sharecount',
    'retweets',
    'retweetcount',
    'reposts',
    'repostcount',
    'videosharecount',
  ],
  'metrics.views': ['views', 'viewcount', 'playcount', 'plays', 'videoplaycount', 'impressions'],
}

const bare = (name: string) =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

/**
 * Proposes a column for each field of a table with unknown columns, by the columns' names. The user confirms it. Columns
 * of pyktok, Apify's scrapers and yt-dlp are among them.
 */
export const proposedColumns = (columns: readonly string[]): Record<string, string> => {
  const proposed: Record<string, string> = {}
  const taken = new Set<string>()
  for (const [field, names] of Object.entries(NAMES)) {
    const column = names.flatMap(name => columns.filter(each => bare(each) === name && !taken.has(each)))[0]
    if (column === undefined) continue
    proposed[field] = column
    taken.add(column)
  }
  return proposed
}
