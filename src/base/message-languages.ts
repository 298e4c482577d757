/** The languages of messages about data, the default first. */
export const MESSAGE_LANGUAGES = ['en', 'de'] as const
export type MessageLanguage = (typeof MESSAGE_LANGUAGES)[number]

/** A message in each language. */
export type Message = Readonly<Record<MessageLanguage, string>>
