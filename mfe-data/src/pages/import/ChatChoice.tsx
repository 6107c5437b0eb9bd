import type { TelegramChat } from '@iodine/imports'
import { Checkbox, formatAmount, InputGroup, Tag } from '@iodine/ui'
import { type ChosenChats, isPrivate, publicFirst, withChat, withUsername } from '../../model/chats'
import styles from './Preview.module.css'

export interface ChatChoiceProps {
  chats: readonly TelegramChat[]
  value: ChosenChats
  onChange: (chats: ChosenChats) => void
}

/** Asks which chats of an export are read. Private ones are left out unless they are chosen one by one. */
export function ChatChoice({ chats, value, onChange }: ChatChoiceProps) {
  return (
    <fieldset className={styles.group}>
      <legend className={styles.label}>Chats</legend>
      <p className={styles.help}>
        Only the chats that you choose here are read. Private ones hold messages of people who did not publish
        them. With the username of a channel, its posts have public URLs.
      </p>
      <ul className={styles.choices}>
        {publicFirst(chats).map(chat => (
          <li key={chat.id} className={styles.choice}>
            <Checkbox
              className={styles.check}
              checked={Object.hasOwn(value, chat.id)}
              onChange={() => onChange(withChat(value, chat.id))}
              labelElement={<ChatName chat={chat} />}
            />
            {Object.hasOwn(value, chat.id) && (
              <InputGroup
                size="small"
                placeholder="Username (optional)"
                aria-label={`Username of ${chat.name || chat.id}`}
                value={value[chat.id]?.username ?? ''}
                onValueChange={username => onChange(withUsername(value, chat.id, username))}
              />
            )}
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

const ChatName = ({ chat }: { chat: TelegramChat }) => (
  <>
    <bdi>{chat.name || chat.id}</bdi>{' '}
    <span className={styles.amount}>{formatAmount(chat.messages, 'message')}</span>{' '}
    {isPrivate(chat) && <Tag minimal>Private</Tag>}
  </>
)
